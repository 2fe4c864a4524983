-- A search with plain letters also finds letters that Unicode does not decompose, such as ł with l. The letters are
-- PLAIN_LETTERS in data/store/rules/search-words.ts, and the numbers are those of trigramsOf there. Stored words are in
-- lower case.
with plain as (
  select "referenceNumber", replace(replace(replace(replace(translate(words, 'łøđðıħŧŋ', 'loddihtn'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') as words
  from $.card_applications where words ~ '[łøđðßıæœþħŧŋ]'
)
update $.card_applications t set words = plain.words, trigrams = array(
  select distinct ((((hash + 2147483648) & 4294967295) - 2147483648))::integer
  from generate_series(1, length(plain.words) - 2) place,
    lateral (select ascii(substr(plain.words, place, 1))::bigint * 8191 + ascii(substr(plain.words, place + 1, 1)) as two) pair,
    lateral (select two * 8191 + ascii(substr(plain.words, place + 2, 1)) as hash) number
)
from plain where t."referenceNumber" = plain."referenceNumber";
with plain as (
  select "referenceNumber", replace(replace(replace(replace(translate(words, 'łøđðıħŧŋ', 'loddihtn'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') as words
  from $.contact_messages where words ~ '[łøđðßıæœþħŧŋ]'
)
update $.contact_messages t set words = plain.words, trigrams = array(
  select distinct ((((hash + 2147483648) & 4294967295) - 2147483648))::integer
  from generate_series(1, length(plain.words) - 2) place,
    lateral (select ascii(substr(plain.words, place, 1))::bigint * 8191 + ascii(substr(plain.words, place + 1, 1)) as two) pair,
    lateral (select two * 8191 + ascii(substr(plain.words, place + 2, 1)) as hash) number
)
from plain where t."referenceNumber" = plain."referenceNumber";
with plain as (
  select "referenceNumber", replace(replace(replace(replace(translate(words, 'łøđðıħŧŋ', 'loddihtn'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') as words
  from $.verification_requests where words ~ '[łøđðßıæœþħŧŋ]'
)
update $.verification_requests t set words = plain.words, trigrams = array(
  select distinct ((((hash + 2147483648) & 4294967295) - 2147483648))::integer
  from generate_series(1, length(plain.words) - 2) place,
    lateral (select ascii(substr(plain.words, place, 1))::bigint * 8191 + ascii(substr(plain.words, place + 1, 1)) as two) pair,
    lateral (select two * 8191 + ascii(substr(plain.words, place + 2, 1)) as hash) number
)
from plain where t."referenceNumber" = plain."referenceNumber";
with plain as (
  select "referenceNumber", replace(replace(replace(replace(translate(words, 'łøđðıħŧŋ', 'loddihtn'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') as words
  from $.loan_applications where words ~ '[łøđðßıæœþħŧŋ]'
)
update $.loan_applications t set words = plain.words, trigrams = array(
  select distinct ((((hash + 2147483648) & 4294967295) - 2147483648))::integer
  from generate_series(1, length(plain.words) - 2) place,
    lateral (select ascii(substr(plain.words, place, 1))::bigint * 8191 + ascii(substr(plain.words, place + 1, 1)) as two) pair,
    lateral (select two * 8191 + ascii(substr(plain.words, place + 2, 1)) as hash) number
)
from plain where t."referenceNumber" = plain."referenceNumber";
