"""Operations on finished builds."""
