-- The first packages of a list without words, such as that of the home page, without reading all of them.
create index search_entries_popular on search_entries (is_archived, downloads desc, name);
