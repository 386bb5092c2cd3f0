"""Games that were played: as transcripts, in figures, and throw by throw to look over."""
