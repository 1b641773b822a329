# As mutt, whose keys and settings it shares.
. "$(dirname "${BASH_SOURCE[0]}")/mutt.sh"
package=neomutt
driven="keys, IMAP"
tip 'as in mutt: `r`, `y`, orders at the top, `y`'
guess shown "the plain text; the calendar and the data are listed below it"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To, after a question"
guess button "the whole draft"
guess forward "the text, between two lines of dashes, without the files"
