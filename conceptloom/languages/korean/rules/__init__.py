"""The concept rules of Korean CommonGen, by name."""

from conceptloom.languages.korean.rules import chains, noun_verb, paper
from conceptloom.languages.korean.rules.base import RULES, Rule, by_sentence

__all__ = ["RULES", "Rule", "by_sentence", "chains", "noun_verb", "paper"]
