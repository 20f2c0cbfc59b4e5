// What a page looks like, read off the page itself. A test evaluates this file and calls one of the functions.

const charts = () => [...document.querySelectorAll("[data-testid=stVegaLiteChart]")]
const name = (chart) => (chart.getAttribute("aria-label") ?? "").trim()
const box = (element) => element.getBoundingClientRect()
const parent = (element) => element.parentElement ?? element.getRootNode().host
const fill = (element) => getComputedStyle(element).fill

// --- charts ------------------------------------------------------------------------------------

// [description, whether anything is drawn] of every chart; above 2,000 marks it is drawn on a canvas.
function chartMarks() {
  return charts().map((chart) => {
    const groups = [...chart.querySelectorAll(".role-mark")].filter((group) => !group.matches(".mark-group"))
    const canvas = chart.querySelector("canvas")
    return [name(chart), canvas ? colours(canvas) > 8 : groups.some((group) => group.childElementCount > 0)]
  })
}

function colours(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  return new Set(new Uint32Array(data.buffer)).size
}

// [text, its colour, the ground's] of every text that stands on the page's ground.
function chartTexts() {
  const roles = ["axis-label", "axis-title", "legend-label", "legend-title"].map((role) => `.role-${role} text`)
  const wanted = [...roles, ".on_ground_marks text"].join(", ")
  return charts().flatMap((chart) =>
    [...chart.querySelectorAll(wanted)].filter(shown).map((text) => [text.textContent, fill(text), ground(chart)]),
  )
}

// [number, its colour, its cell's] of every number that stands on a cell.
function printedNumbers() {
  return charts().flatMap((chart) => {
    const filled = [...chart.querySelectorAll(".mark-rect.role-mark path")].filter(covers)
    const cells = filled.map((cell) => [box(cell), fill(cell)])
    const numbers = [...chart.querySelectorAll(".on_pale_marks text, .on_strong_marks text")].filter(shown)
    return numbers.map((number) => {
      const { left, right, top, bottom } = box(number)
      const [x, y] = [(left + right) / 2, (top + bottom) / 2]
      const under = cells.findLast(([b]) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom)
      return [number.textContent, fill(number), under?.[1] ?? "no cell"]
    })
  })
}

// Labels that do not fit are hidden by their opacity.
function shown(text) {
  return text.textContent.trim() !== "" && Number(text.getAttribute("opacity") ?? 1) > 0 && box(text).width > 0
}

function covers(cell) {
  return Number(cell.getAttribute("fill-opacity") ?? 1) > 0.5 && Number(cell.getAttribute("opacity") ?? 1) > 0.5
}

function ground(element) {
  for (let at = element; at; at = parent(at)) {
    const colour = getComputedStyle(at).backgroundColor
    if (colour !== "rgba(0, 0, 0, 0)") return colour
  }
  return "rgb(255, 255, 255)"
}

// --- width -------------------------------------------------------------------------------------

// What makes the page scroll sideways, or sticks out of the window without a scroll box of its own.
function sideways() {
  const main = document.querySelector("[data-testid=stMain]")
  const found = [document.documentElement, main]
    .filter((page) => page.scrollWidth > page.clientWidth)
    .map((page) => `${page.tagName} scrolls: ${page.scrollWidth} in ${page.clientWidth}`)
  for (const element of everything(main)) {
    const { right, width, height } = box(element)
    if (width && height && right > innerWidth + 1 && !held(element, main))
      found.push(`${element.tagName} ${element.className.baseVal ?? element.className} ends at ${right}`)
  }
  return found.slice(0, 5)
}

function held(element, main) {
  for (let at = parent(element); at && at !== main; at = parent(at))
    if (getComputedStyle(at).overflowX !== "visible") return true
  return false
}

// Elements in reading order, those in shadow roots too.
function* everything(root) {
  for (const element of root.children) {
    yield element
    if (element.shadowRoot) yield* everything(element.shadowRoot)
    yield* everything(element)
  }
}
