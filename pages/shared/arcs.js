const LIFT = 58 // px of free room above each row of words (4.2rem less a margin)

export default function ({ data, parentElement, setStateValue }) {
  const scene = parentElement.querySelector(".scene")
  const words = scene.querySelector(".words")
  const svg = scene.querySelector(".arcs")
  const { tokens, weights, query, label } = data

  // The hue of "query" is the first of the theme's categorical colours, as in every chart.
  const hues = getComputedStyle(scene).getPropertyValue("--st-chart-categorical-colors")
  scene.style.setProperty("--query", hues.split(",")[0] || "currentColor")

  const pick = (index) => {
    const next = Math.min(Math.max(index, 0), tokens.length - 1)
    if (next !== scene.query) {
      show(next)
      setStateValue("query", next)
    }
  }

  const option = (token, index) => {
    const word = document.createElement("div")
    word.className = "word"
    word.id = `word-${index}`
    word.setAttribute("role", "option")
    const text = document.createElement("bdi")
    text.textContent = token.short
    word.title = `${index + 1}: ${token.whole}`
    const weight = document.createElement("small")
    weight.textContent = weights[index].toFixed(2)
    word.append(text, weight)
    word.onclick = () => pick(index)
    return word
  }

  const show = (index) => {
    scene.query = index
    words.setAttribute("aria-activedescendant", `word-${index}`)
    ;[...words.children].forEach((word, i) => word.setAttribute("aria-selected", String(i === index)))
  }

  words.setAttribute("role", "listbox")
  words.setAttribute("aria-label", label)
  words.tabIndex = 0
  words.onkeydown = (event) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }
    const ends = { Home: 0, End: tokens.length - 1 }
    if (event.key in steps) pick(scene.query + steps[event.key])
    else if (event.key in ends) pick(ends[event.key])
    else return
    event.preventDefault()
  }
  words.replaceChildren(...tokens.map(option))
  show(query)

  const draw = () => svg.replaceChildren(...weights.map((weight, i) => arc(words.children, query, i, weight)))
  draw()
  scene.observer?.disconnect()
  scene.observer = new ResizeObserver(draw)
  scene.observer.observe(words)
  return () => scene.observer.disconnect()
}

// From the asking word to word i; thickness and strength say how much weight it gets.
function arc(words, from, to, weight) {
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
  const [x1, y1] = top(words[from])
  const [x2, y2] = top(words[to])
  const sameRow = Math.abs(y1 - y2) < 4
  const lift = sameRow ? Math.min(LIFT, 22 + Math.abs(x1 - x2) * 0.16) * (4 / 3) : LIFT
  const spread = from === to ? 14 : 0 // a loop above the word itself
  path.setAttribute("d", `M ${x1 - spread} ${y1} C ${x1 - spread} ${y1 - lift} ${x2 + spread} ${y2 - lift} ${x2 + spread} ${y2}`)
  path.setAttribute("stroke-width", (0.6 + 13 * weight).toFixed(2))
  path.setAttribute("stroke-opacity", (0.18 + 0.82 * Math.sqrt(weight)).toFixed(2))
  path.dataset.weight = weight
  return path
}

function top(word) {
  return [word.offsetLeft + word.offsetWidth / 2, word.offsetTop]
}
