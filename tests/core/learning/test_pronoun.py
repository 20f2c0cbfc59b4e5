"""Sentences with a pronoun: built as promised, and nothing but the reason tells which noun is meant."""

from collections import Counter

import numpy as np
import pytest

from core.learning import pronoun
from core.learning.pronoun import (
    AGENT_REASON,
    BECAUSE,
    COMMA,
    FILLER,
    IT,
    N_FILLERS,
    N_REASONS,
    PATIENT_REASON,
    STATE,
    VERB,
    compositions,
    one_noun_sentences,
    pronoun_sentences,
    strew,
    two_noun_sentences,
    with_other_reasons,
    write_two_nouns,
)


def without_fillers(row):
    return [int(i) for i in row if not FILLER <= i < FILLER + N_FILLERS]


def test_the_vocabulary_has_48_words_without_a_gap():
    sizes = (10, 6, 6, 6, 4, 12, 4)  # in the order of KINDS
    starts = (pronoun.NOUN, VERB, AGENT_REASON, PATIENT_REASON, STATE, FILLER, COMMA)
    assert starts == tuple(int(i) for i in np.cumsum((0, *sizes[:-1])))
    assert sum(sizes) == pronoun.N_VOCAB == pronoun.BY + 1
    assert len(pronoun.KINDS) == len(sizes)


def test_every_way_to_cut_a_number_is_equally_likely():
    """3 into 3 parts: C(5, 2) = 10 ways, each 0.1 of 10,000 draws; 5 standard deviations are 150."""
    drawn = compositions(np.random.default_rng(2), 10_000, 3, 3)
    assert (drawn.sum(axis=1) == 3).all() and drawn.min() == 0
    counts = Counter(map(tuple, drawn.tolist()))
    assert len(counts) == 10
    assert all(abs(count - 1000) < 150 for count in counts.values())


def test_words_keep_their_order_and_stand_where_it_is_said():
    words = np.array([[1, 2, 3], [4, 5, 6]])
    ids, places = strew(np.random.default_rng(3), words, (0, 2, 3), 11)
    assert ids.shape == (2, 11)
    np.testing.assert_array_equal(np.take_along_axis(ids, places, axis=1), words)
    assert [without_fillers(row) for row in ids] == words.tolist()
    np.testing.assert_array_equal(places[:, 1] - places[:, 0], 1)  # there is no slot before the second word


def test_without_room_for_fillers_the_sentence_is_as_in_the_lecture():
    nouns, verbs, reasons = np.array([[1, 0], [1, 0]]), np.array([0, 0]), np.array([0, N_REASONS])
    sentences = write_two_nouns(np.random.default_rng(5), nouns, verbs, reasons, 7)
    start = [1, VERB, 0, COMMA, BECAUSE, IT]
    assert sentences.ids.tolist() == [[*start, AGENT_REASON], [*start, PATIENT_REASON]]
    assert sentences.targets.tolist() == [1, 0]  # hungry: the dog, who chases; escaped: the cat
    assert sentences.answer.tolist() == [0, 2]
    assert sentences.asks.tolist() == [5, 5]


def test_a_sentence_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="7 words cannot be 6 long"):
        two_noun_sentences(np.random.default_rng(0), 3, 6)


@pytest.mark.parametrize("length", [7, 13, 26])
def test_two_noun_sentences_keep_the_grammar(length):
    sentences = two_noun_sentences(np.random.default_rng(length), 211, length)
    assert sentences.ids.shape == (211, length)
    for row, asks, target in zip(sentences.ids, sentences.asks, sentences.targets, strict=True):
        first, verb, second, *fixed, reason = without_fillers(row)
        assert first != second and max(first, second) < 10 <= verb < 16
        assert fixed == [COMMA, BECAUSE, IT] and row[asks] == IT and row[asks + 1] == reason
        assert target == (first if reason < PATIENT_REASON else second)


def test_a_lone_noun_is_meant_whatever_the_reason():
    sentences = one_noun_sentences(np.random.default_rng(7), 101, 17)
    for row, asks, target in zip(sentences.ids, sentences.asks, sentences.targets, strict=True):
        noun, state, *fixed, reason = without_fillers(row)
        assert STATE <= state < FILLER
        assert fixed == [COMMA, BECAUSE, IT] and row[asks] == IT and row[asks + 1] == reason
        assert target == noun
    assert len(set(sentences.ids[range(101), sentences.asks + 1].tolist())) == 2 * N_REASONS


def test_the_pronoun_stands_3_to_23_places_behind_the_noun_that_is_meant():
    """Without fillers 3 or 5 (one noun: 4) places; 26 words hold 19 more, but rarely all in one gap."""
    rng = np.random.default_rng(11)
    found = [pronoun_sentences(rng, 499, length) for length in range(8, 27)]
    back = np.concatenate([one.asks - one.answer for one in found])
    assert back.min() == 3
    assert 20 <= back.max() <= 24


def test_four_in_five_sentences_have_two_nouns_in_mixed_order():
    """Of 2,000, 1,600 are expected; 5 standard deviations are 5 sqrt(2000 * 0.8 * 0.2) = 89."""
    sentences = pronoun_sentences(np.random.default_rng(13), 2000, 11)
    two = sentences.nouns[:, 0] != sentences.nouns[:, 1]
    assert abs(two.sum() - 1600) < 90
    assert abs(two[:1000].sum() - 800) < 64  # 5 sqrt(1000 * 0.8 * 0.2)


def test_only_the_given_pairs_of_nouns_meet_in_both_orders():
    sentences = two_noun_sentences(np.random.default_rng(17), 97, 9, pairs=[(2, 5), (3, 7)])
    met = {tuple(row) for row in np.take_along_axis(sentences.ids, sentences.nouns, axis=1).tolist()}
    assert met == {(2, 5), (5, 2), (3, 7), (7, 3)}


def test_another_reason_changes_one_word_and_the_answer():
    before = two_noun_sentences(np.random.default_rng(19), 53, 13)
    after = with_other_reasons(before)
    changed = before.ids != after.ids
    assert (changed.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(changed.argmax(axis=1), before.asks + 1)
    assert (before.targets != after.targets).all()
    again = with_other_reasons(after)
    np.testing.assert_array_equal(again.ids, before.ids)
    np.testing.assert_array_equal(again.answer, before.answer)


def test_the_same_seed_draws_the_same_sentences():
    one, other = (pronoun_sentences(np.random.default_rng(23), 31, 12) for _ in range(2))
    np.testing.assert_array_equal(one.ids, other.ids)
    assert (one.ids != pronoun_sentences(np.random.default_rng(29), 31, 12).ids).any()


def test_passives_keep_the_grammar_and_the_agent_stands_second():
    sentences = two_noun_sentences(np.random.default_rng(11), 211, 13, write=pronoun.write_passive)
    for row, asks, target in zip(sentences.ids, sentences.asks, sentences.targets, strict=True):
        patient, by, agent, verb, *fixed, reason = without_fillers(row)
        assert by == pronoun.BY and max(agent, patient) < 10 <= verb < 16 and agent != patient
        assert fixed == [COMMA, BECAUSE, IT] and row[asks] == IT and row[asks + 1] == reason
        assert target == (agent if reason < PATIENT_REASON else patient)
    assert (sentences.nouns[:, 0] < sentences.nouns[:, 1]).all()  # as they stand, whatever their role


def test_share_of_passives():
    """Of 2,000 sentences 1,600 have two nouns, 400 of them a "by"; 5 standard deviations are 90."""
    sentences = pronoun_sentences(np.random.default_rng(13), 2000, 11, passive=0.25)
    assert abs((sentences.ids == pronoun.BY).any(axis=1).sum() - 400) < 90
    assert not (pronoun_sentences(np.random.default_rng(13), 200, 11).ids == pronoun.BY).any()


def test_pairs_are_held_out_whole():
    for seed in range(5):
        split = pronoun.split_pairs(np.random.default_rng(seed))
        assert split.seen.shape == (36, 2) and split.unseen.shape == (9, 2)
        assert {*map(tuple, split.seen), *map(tuple, split.unseen)} == set(pronoun.PAIRS)
    splits = {pronoun.split_pairs(np.random.default_rng(seed)).unseen.tobytes() for seed in range(5)}
    assert len(splits) == 5


def test_training_meets_no_held_out_pair_and_no_held_out_distance():
    split = pronoun.split_pairs(np.random.default_rng(17))
    batches = pronoun.training_batches(np.random.default_rng(19), split.seen, size=64, passive=0.2)
    lengths, met, far = set(), set(), set()
    for _ in range(150):
        batch = next(batches)
        assert len(batch.ids) == 64
        lengths.add(batch.ids.shape[1])
        nouns = np.sort(np.take_along_axis(batch.ids, batch.nouns, axis=1), axis=1)
        met |= {(int(a), int(b)) for a, b in nouns if a != b}
        far |= set(pronoun.distances(batch).ravel().tolist())
    assert lengths == set(range(8, 27))
    assert met == set(map(tuple, split.seen.tolist()))
    assert far == set(range(3, 25)) - {7, 12, 17}


def test_who_does_not_look_at_the_reason_is_right_in_half_of_the_sentences():
    """Every reason once: who always names the agent, and who never does."""
    n = 2 * pronoun.N_REASONS
    said = pronoun.write_two_nouns(
        np.random.default_rng(0), np.tile([[0, 1]], (n, 1)), np.zeros(n, int), np.arange(n), 12
    )
    agent = np.mean(said.targets == 0)
    assert max(agent, 1 - agent) == pronoun.BLIND_TO_REASON == 0.5
