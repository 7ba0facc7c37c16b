"""All that is drawn from the mined sets: the candidates, by score, and the sets of dev and test, from their captions.

CommonGen's text says that dev and test are the top of the candidates by score (section 3.2). Its published sets are
not: in a corpus of 347,000 captions the median dev triple stands in six captions, one in ten in a single one, and one
in fifty among the top hundredth by score. A draw of the sets that at least three captions hold comes near to them in
support, in the frequency of concepts and in score (docs/commongen.md), if a set's probability is that of somebody who
takes a caption at random and then so many of its concepts. So a long caption, which has thousands of sets, gives no
more of them than a short one.

Distributed: `Draws.of` each block of scored sets, `Draws.merge` of all; `Draws.last` spares sending what is too late.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Float64
from conceptloom.concepts.mining import CERTAIN
from conceptloom.concepts.sampling import SAMPLED, arrival_times, earliest, last_arrival, merge_samples, sample

DRAWN = SAMPLED.append(pa.field("draw", pa.int8()))
"""A drawn set: the draw is CANDIDATES, or the number of concepts of the sets that it draws for dev and test."""

CANDIDATES = 0
MIN_SUPPORT = 3

_LATER = 1e12
"""No set waits as long: -log(u) is below 37, and a chance is at least 1 / CERTAIN."""
_NO_LIMIT: Mapping[int, float] = {}


@dataclass(frozen=True)
class Draws:
    """How many sets are drawn: `size` candidates, and for dev and test (number of concepts, number of sets)."""

    size: int
    seed: int
    held: tuple[tuple[int, int], ...] = ()
    min_support: int = MIN_SUPPORT

    @property
    def sizes(self) -> dict[int, int]:
        """The number of sets of each draw."""
        return {CANDIDATES: self.size, **dict(self.held)}

    def of(self, scored: pa.Table, last: Mapping[int, float] = _NO_LIMIT) -> pa.Table:
        """Returns the draws from some sets (schema SCORED), schema DRAWN; see `sample` for `last`, by draw."""
        by_score = _marked(sample(scored, self.size, self.seed, last.get(CANDIDATES, np.inf)), CANDIDATES)
        held = self._held(scored, last) if self.held else ()
        return pa.concat_tables([by_score, *held]).combine_chunks()

    def _held(self, scored: pa.Table, last: Mapping[int, float]) -> Iterator[pa.Table]:
        sizes = Lists.from_arrow(scored["concepts"]).sizes
        times = support_times(scored, self.min_support, self.seed)
        for concepts, number in self.held:
            own = np.where(sizes == concepts, times, np.inf)
            yield _marked(earliest(scored, own, number, last.get(concepts, np.inf)), concepts)

    def merge(self, parts: Iterable[pa.Table]) -> pa.Table:
        """Returns the draws from all blocks, given those from each (schema DRAWN); associative and commutative."""
        table = pa.concat_tables([DRAWN.empty_table(), *parts])
        merged = (_marked(merge_samples([_of_draw(table, draw)], size), draw) for draw, size in self.sizes.items())
        return pa.concat_tables(merged).combine_chunks()

    def last(self, drawn: pa.Table) -> dict[int, float]:
        """Returns for each draw when its last set arrives, given the draws from some of all sets (`last_arrival`)."""
        return {draw: last_arrival(_of_draw(drawn, draw), size) for draw, size in self.sizes.items()}


def support_times(scored: pa.Table, least: int, seed: int) -> Float64:
    """Returns when sets (`set`, `support`, `chance`) arrive that are drawn from their sentences, shape (sets,).

    Sets of less than `least` sentences come after all others, those of the fewest last.
    """
    sets, support, chance = (scored[name].to_numpy() for name in ("set", "support", "chance"))
    waits = np.maximum(least - support, 0) * _LATER
    return arrival_times(sets, chance / CERTAIN, seed, "held out") + waits


def _of_draw(drawn: pa.Table, draw: int) -> pa.Table:
    return drawn.filter(pc.equal(drawn["draw"], draw)).select(SAMPLED.names)


def _marked(drawn: pa.Table, draw: int) -> pa.Table:
    return drawn.append_column(DRAWN.field("draw"), pa.array(np.full(len(drawn), draw, dtype=np.int8)))
