"""Who plays: people and their seats, standbys, deputies, and what is confirmed by mail."""
