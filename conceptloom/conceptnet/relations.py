"""ConceptNet's relations by the kind of common sense they carry (CommonGen, table 2)."""

CATEGORIES: dict[str, frozenset[str]] = {
    "spatial": frozenset(("AtLocation", "LocatedNear")),
    "object properties": frozenset(
        ("UsedFor", "CapableOf", "PartOf", "ReceivesAction", "MadeOf", "FormOf", "HasProperty", "HasA")
    ),
    "human behaviours": frozenset(("CausesDesire", "MotivatedByGoal", "Desires", "NotDesires", "MannerOf")),
    "temporal": frozenset(("HasSubevent", "HasPrerequisite", "HasFirstSubevent", "HasLastSubevent")),
    "general": frozenset(("RelatedTo", "Synonym", "DistinctFrom", "IsA", "HasContext", "SimilarTo")),
}
"""The paper's five categories, by ConceptNet's names (the paper writes MotivatedBy, Manner, Subevent, Prerequisite).

A relation of no category (Antonym, Causes) still connects concepts.
"""

CATEGORY_OF: dict[str, str] = {name: category for category, names in CATEGORIES.items() for name in names}
"""The category of each relation that has one."""
