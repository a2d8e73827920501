-- jsonb orders keys by their length. In a manifest their order is the author's: that of the options of a config.
alter table environments alter column manifest type json using manifest::json;
