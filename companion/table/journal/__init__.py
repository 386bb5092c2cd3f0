"""The journal: two copies of every entry in one checksum chain, on the disk before anyone hears of it."""

from companion.table.journal.anchor import anchor_folder as anchor_folder
from companion.table.journal.copies import FIRST as FIRST
from companion.table.journal.copies import SECOND as SECOND
from companion.table.journal.journal import Entry as Entry
from companion.table.journal.journal import Journal as Journal
from companion.table.journal.journal import entries as entries
from companion.table.journal.journal import entries_at as entries_at
from companion.table.journal.journal import entries_in as entries_in
from companion.table.journal.journal import examined as examined
from companion.table.journal.journal import last_written_s as last_written_s
from companion.table.journal.journal import read_entries as read_entries
from companion.table.journal.journal import row_at as row_at
