"""Builds conceptloom/similarity/data/static-ko.npz, the table of scorer `static-ko`, from kiwipiepy and KorSTS.

    pip install kiwipiepy==0.24.1 kiwipiepy_model==0.24.0 mecab-python3 python-mecab-ko-dic scipy
    python scripts/build_static_ko.py --korsts ../shared/data/ko/similarity/sts-train.tsv \
        --output conceptloom/similarity/data/static-ko.npz

Two runs on one machine write the same bytes; another BLAS or zlib may change the last bits.
The method and its figures are in the model card, conceptloom/similarity/data/static-ko.md.
"""

import argparse
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: the number of threads decides the last bits

import numpy as np
from mecab_vocabulary import dictionary_entries
from scipy.optimize import minimize  # type: ignore[import-untyped]
from static_table import Keys, write_table

from conceptloom.arrays.types import Bool, Float64, Int64
from conceptloom.languages.korean.taggers.mecab import MecabTagger
from conceptloom.languages.korean.tokens import CONTENT_TAGS

KIWI_IDS = 70_488
"""Kiwi's language model has vectors for smaller ids only; `morpheme_similarity` silently returns NaN above."""
OTHER_TAGS = ("NNB", "NR", "NP", "IC", "MAJ", "VX", "SL")
"""Kiwi's tags of morphemes that MeCab may tag as content ones."""
LANDMARKS, DIMENSIONS, KEPT_DIMENSIONS = 400, 256, 128
FREQUENT = 20_000
"""The mean and the principal components are those of the most frequent content morphemes."""
COMPONENTS = 8
RANK_SCALE = 5.0
RIDGE, ITERATIONS = 0.004, 60
"""Scale and ridge: the best of (5, 10, 20) x (1, 2, 4, 8 thousandths), cross-validated on thirds of KorSTS train."""


def kiwi_morphemes(kiwi: Any) -> list[tuple[int, str, str]]:
    """(id, form, Sejong tag) of the morphemes that have a vector, in the order of ids."""
    tags = CONTENT_TAGS | set(OTHER_TAGS)
    found = ((i, kiwi.morpheme(i)) for i in range(KIWI_IDS))
    plain = ((i, m.form, m.tag.partition("-")[0]) for i, m in found)
    return [(i, form, tag) for i, form, tag in plain if tag in tags and form and "\n" not in form]


def recover_vectors(kiwi: Any, ids: list[int], landmarks: list[int]) -> Float64:
    """Unit vectors, shape (ids, 256), whose products are Kiwi's cosines: Nystroem's method on `morpheme_similarity`.

    The vectors are right up to a rotation, which changes no cosine (largest error of 5,000 random cosines: 4e-7).
    """
    similarity = kiwi.morpheme_similarity
    cosines = np.array([[similarity(i, j) for j in landmarks] for i in ids])
    rows = {morpheme: row for row, morpheme in enumerate(ids)}
    gram = cosines[[rows[i] for i in landmarks]]
    values, basis = np.linalg.eigh((gram + gram.T) / 2)
    return np.asarray(cosines @ basis[:, -DIMENSIONS:] / np.sqrt(values[-DIMENSIONS:]))


def unit_rows(vectors: Float64) -> Float64:
    """Each row divided by its length; a zero row stays zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def without_common_directions(vectors: Float64, frequent: Bool) -> Float64:
    """Unit rows without the mean and the first 8 principal components of the frequent ones (Mu & Viswanath 2018)."""
    centred = vectors - vectors[frequent].mean(axis=0)
    _, _, components = np.linalg.svd(centred[frequent], full_matrices=False)
    common = components[:COMPONENTS]
    return unit_rows(centred - centred @ common.T @ common)


def correlation_loss(flat: Float64, first: Float64, second: Float64, gold: Float64) -> tuple[float, Float64]:
    """-Pearson(cosine, gold) + ridge * |W - I|^2, and its gradient.

    `first` and `second` are sentence vectors of shape (pairs, d), `gold` is standardised, `flat` is W of shape (d, d).
    """
    identity = np.eye(first.shape[1])
    weights = flat.reshape(identity.shape)
    left, right = first @ weights, second @ weights
    left_norm = np.linalg.norm(left, axis=1, keepdims=True) + 1e-9
    right_norm = np.linalg.norm(right, axis=1, keepdims=True) + 1e-9
    left, right = left / left_norm, right / right_norm
    cosine = (left * right).sum(axis=1)
    spread, centred = cosine.std() + 1e-9, cosine - cosine.mean()
    pearson = (centred * gold).mean() / spread
    slope = -((gold / spread - pearson * centred / spread**2) / len(gold))[:, None]
    gradient = first.T @ ((right - left * cosine[:, None]) * slope / left_norm)
    gradient += second.T @ ((left - right * cosine[:, None]) * slope / right_norm)
    drift = weights - identity
    return float(-pearson + RIDGE * (drift**2).sum()), (gradient + 2 * RIDGE * drift).ravel()


def train_map(first: Float64, second: Float64, scores: Float64) -> Float64:
    """The linear map, shape (d, d), that makes cosines follow the human scores; it starts from the identity."""
    gold = (scores - scores.mean()) / scores.std()
    start = np.eye(first.shape[1]).ravel()
    options = {"maxiter": ITERATIONS}
    fit = minimize(correlation_loss, start, (first, second, gold), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fit.x.reshape(first.shape[1], -1))


def sentence_vectors(table: Float64, keys: Keys, sentences: list[str]) -> Float64:
    """The sum of the table's rows over the set of content morphemes of each sentence, shape (sentences, d)."""
    tagged = MecabTagger().tokens(sentences)
    sets = [sorted({row for token in tokens for m in token.morphemes for row in keys.get(m, ())}) for tokens in tagged]
    return np.array([table[rows].sum(axis=0) for rows in sets])


def read_korsts(path: Path) -> tuple[list[str], list[str], Float64]:
    """First sentences, second sentences and scores (0 to 5) of a KorSTS file."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]
    return [row[5] for row in rows], [row[6] for row in rows], np.array([float(row[4]) for row in rows])


def merge_senses(morphemes: list[tuple[int, str, str]], vectors: Float64) -> tuple[Keys, Float64, Int64]:
    """One row for each form/tag: the mean of Kiwi's (-R and -I conjugations coincide), with the smallest id."""
    keys: Keys = {}
    rows = np.array([keys.setdefault(f"{form}/{tag}", (len(keys),))[0] for _, form, tag in morphemes])
    sums = np.zeros((len(keys), vectors.shape[1]))
    np.add.at(sums, rows, vectors)
    ids = np.full(len(keys), KIWI_IDS)
    np.minimum.at(ids, rows, [i for i, _, _ in morphemes])
    return keys, unit_rows(sums), ids


def other_forms(kiwi: Any, keys: Keys) -> Keys:
    """Entries of MeCab's dictionary that Kiwi lacks: the same form under another tag, else the parts that Kiwi sees.

    Proper nouns are split only into known words of two or more syllables: most other splits are chance.
    """
    missing = [(form, tag) for form, tag in dictionary_entries(CONTENT_TAGS) if f"{form}/{tag}" not in keys]
    parses = kiwi.tokenize([form for form, _ in missing])
    found: Keys = {}
    for (form, tag), parse in zip(missing, parses, strict=True):
        same = next((keys[f"{form}/{t}"] for t in (*sorted(CONTENT_TAGS), *OTHER_TAGS) if f"{form}/{t}" in keys), ())
        parts = [(p.form, f"{p.form}/{p.tag.partition('-')[0]}") for p in parse]
        known = [(part, keys[key][0]) for part, key in parts if key in keys and key.rpartition("/")[2] in CONTENT_TAGS]
        whole = sum(len(part) for part, _ in known) == len(form) and all(len(part) > 1 for part, _ in known)
        rows = same or (tuple(row for _, row in known) if whole or tag != "NNP" else ())
        if rows:
            found[f"{form}/{tag}"] = rows
    return found


def build(korsts: Path) -> tuple[Keys, Float64]:
    """The keys with their rows, and the finished table, shape (rows, 128): the length of a row is its weight."""
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=1)
    morphemes = kiwi_morphemes(kiwi)
    content = [i for i, _, tag in morphemes if tag in CONTENT_TAGS]
    landmarks = [content[place] for place in np.linspace(0, len(content) // 2, LANDMARKS).astype(int)]
    keys, vectors, ids = merge_senses(morphemes, recover_vectors(kiwi, [i for i, _, _ in morphemes], landmarks))
    is_content = np.array([key.rpartition("/")[2] in CONTENT_TAGS for key in keys])
    vectors = without_common_directions(vectors, is_content & (np.cumsum(is_content) <= FREQUENT))
    # Kiwi numbers its morphemes roughly by falling frequency: by Zipf's law the logarithm of the id stands for the idf.
    table = vectors * np.log1p(ids / RANK_SCALE)[:, None]
    keys |= other_forms(kiwi, keys)
    first, second, scores = read_korsts(korsts)
    table = table @ train_map(sentence_vectors(table, keys, first), sentence_vectors(table, keys, second), scores)
    # The directions that frequent morphemes use most: half of the size and of the time, no loss of correlation.
    _, _, basis = np.linalg.svd((table / np.sqrt(ids + 100.0)[:, None])[is_content], full_matrices=False)
    return keys, table @ basis[:KEPT_DIMENSIONS].T


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Builds the table of scorer static-ko.")
    parser.add_argument("--korsts", type=Path, required=True, help="sts-train.tsv of KorSTS (CC BY-SA 4.0)")
    parser.add_argument("--output", type=Path, required=True, help="the npz file to write")
    options = parser.parse_args()
    write_table(options.output, *build(options.korsts))


if __name__ == "__main__":
    main()
