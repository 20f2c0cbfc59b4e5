"""Five models of one size on one task: what is equal between them is equal, and what comes out differs."""

import pickle
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from core.blocks.losses import cross_entropy, cross_entropy_backward
from core.experiments import local_conv_race as race
from core.experiments.local_conv_exam import DISTANCES, make_exam
from core.experiments.local_conv_race import EVERY, MIXERS, N_STEPS, ask, race_model, reads_at, relative, run
from core.learning.models import init_model, read, read_backward
from core.learning.pronoun import IT, split_pairs, two_noun_sentences

REACH = 5  # of five layers with kernel 3


@lru_cache(maxsize=len(MIXERS))
def first_looks(name):
    """Snapshots at steps 0, 2 and 4; only to be looked at."""
    return tuple(islice(run(name, 3, n_steps=4, every=2), 3))


def test_five_models_of_about_one_size():
    """48 words, mixer, 10 answers; by hand."""
    block = 4 * (32 * 32 + 32) + 32 * 64 + 64 + 64 * 32 + 32
    convolutions = 48 * 32 + 5 * (3 * 32 * 32 + 32) + 32 * 10 + 10
    by_hand = {
        "attention": 48 * 32 + 2 * block + 32 * 10 + 10,
        "conv": convolutions,
        "dilated": convolutions,
        "rnn": 48 * 32 + 110 * (32 + 110 + 1) + 110 * 10 + 10,
        "gru": 48 * 32 + 3 * 56 * (32 + 56 + 1) + 56 * 10 + 10,
    }
    assert {name: race.n_parameters(name) for name in MIXERS} == by_hand
    assert all(17_000 < size < 19_000 for size in by_hand.values())


def test_steps_that_wait_for_one_another():
    assert [race.serial_steps(name, 26) for name in MIXERS] == [2, 5, 5, 26, 26]


def test_who_reads_in_order_answers_at_the_reason():
    sentences = two_noun_sentences(np.random.default_rng(1), 9, 15)
    for name in MIXERS:
        rows = reads_at(sentences, race_model(name))
        read_there = np.take_along_axis(sentences.ids, rows, axis=1)[:, 0]
        if name in ("rnn", "gru"):
            assert ((read_there >= 16) & (read_there < 28)).all()  # the reasons
        else:
            assert (read_there == IT).all()


@pytest.mark.parametrize("name", MIXERS)
def test_the_signal_is_the_gradient_of_the_noun(name):
    """The noun stands once in the sentence, so its row of the table gets what gets back to its place."""
    model, sentences = race_model(name), two_noun_sentences(np.random.default_rng(5), 6, 12)
    params = init_model(np.random.default_rng(6), model, np.float64)
    for i in range(6):
        one = type(sentences)(*(field[i : i + 1] for field in sentences))
        logits, cache = read(one.ids, params, model, reads_at(one, model))
        error = cross_entropy_backward(1.0, cross_entropy(logits, one.targets[:, None])[1])
        dtable = read_backward(error / np.linalg.norm(error), cache).table
        asked = ask(params, model, one)
        assert asked.signal[0] == pytest.approx(np.linalg.norm(dtable[one.targets[0]]), rel=1e-9)
        assert asked.loss[0] == pytest.approx(cross_entropy(logits, one.targets[:, None])[0], rel=1e-12)
        assert asked.right[0] == (logits.argmax() == one.targets[0])


@pytest.mark.parametrize("name", MIXERS)
def test_where_a_signal_gets_to(name):
    """Beyond five layers of kernel 3 it is exactly 0, before and after some steps; elsewhere it is not."""
    for shot in first_looks(name):
        if name == "conv":
            np.testing.assert_array_equal(shot.signal > 0, DISTANCES <= REACH)
        else:
            assert shot.signal.min() > 0


def test_recurrence_thins_the_signal_and_attention_hardly_does():
    """Untrained: what gets back to 19-23 places, as a share of what gets back to 3 and 4."""
    far = {name: relative(first_looks(name)[0].signal)[16:].mean() for name in MIXERS}
    assert far["gru"] < 1e-2 and far["rnn"] < 1e-2
    assert far["attention"] > 0.3
    assert relative(np.array([1.0, 3.0, 4.0])) == pytest.approx([0.5, 1.5, 2.0])


@pytest.mark.parametrize("name", MIXERS)
def test_a_run_looks_every_few_steps_and_is_the_same_for_the_same_seed(name):
    one, same, other = (
        first_looks(name),
        list(run(name, 3, n_steps=4, every=2)),
        next(run(name, 4, n_steps=4, every=2)),
    )
    assert [(shot.step, shot.end) for shot in one] == [(0, 4), (2, 4), (4, 4)]
    for a, b in zip(one, same, strict=True):
        assert pickle.dumps(a) == pickle.dumps(b)
    assert one[0].loss != other.loss
    for fields in zip(*one, strict=True):
        assert len({np.shape(field) for field in fields}) == 1
    assert next(run(name, 3)).end == N_STEPS and N_STEPS % EVERY == 0


def test_all_five_see_the_same_sentences_and_answer_the_same_questions(monkeypatch):
    def ids_of(name):
        seen = []

        def learn(params, model, ids, *rest):
            seen.append(ids)
            return race_learn(params, model, ids, *rest)

        monkeypatch.setattr(race, "learn", learn)
        list(run(name, 3, n_steps=4, every=4))
        return np.concatenate([ids.ravel() for ids in seen])

    race_learn = race.learn
    first, *others = map(ids_of, MIXERS)
    assert first.size > 4 * 64 * 8 - 1
    for other in others:
        np.testing.assert_array_equal(first, other)
    guesses = {first_looks(name)[0].guess_by_distance.tobytes() for name in MIXERS}
    assert len(guesses) == 1


def test_figures_are_those_of_their_part_of_the_questions():
    """A model that knows the answers to one part is right there, and nowhere else."""
    split = split_pairs(np.random.default_rng(8))
    exam = make_exam(np.random.default_rng(9), split, REACH)
    answers = iter(np.split(exam.about, np.cumsum([len(one.ids) for one in exam.sentences])[:-1]))

    def knows_one_part(params, model, sentences):
        about = next(answers)
        return race.Asked(1.0 + about, about == params, sentences.asks - sentences.answer)

    for part in range(3):
        answers = iter(np.split(exam.about, np.cumsum([len(one.ids) for one in exam.sentences])[:-1]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(race, "ask", knows_one_part)
            loss, seen, unseen, by_distance, signal, guess, guesses = race.look(part, None, exam)
        assert (loss, seen, unseen) == (1.0, part == 0, part == 1)
        assert (by_distance == (part == 2)).all()
        np.testing.assert_array_equal(signal, DISTANCES)
        assert (guesses[DISTANCES <= REACH] == 1).all() and guesses[DISTANCES > REACH].max() < 0.2
        assert 0.3 < guess < 0.7


def test_the_first_look_that_is_good_enough():
    shots = [
        shot._replace(accuracy=right)
        for shot, right in zip(first_looks("gru"), (0.2, 0.96, 0.97), strict=True)
    ]
    assert race.when_learned(shots).step == 2
    assert race.when_learned(shots[:1]) is None
