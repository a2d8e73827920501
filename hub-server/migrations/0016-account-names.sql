-- Without a list of rows that are not indexed yet, which each lookup of a similar name reads and only a vacuum empties.
alter index accounts_similarity set (fastupdate = off);
