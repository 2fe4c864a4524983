import { type CollectionEntry, type CollectionKey, getCollection } from 'astro:content';
import { translateTexts } from '../../data/model/locale-texts.ts';
import { type LocalizedText, renderLocalized } from './localized-entries.ts';

type Fields<Name extends CollectionKey> = CollectionEntry<Name>['data'];

/** @throws {Error} if the collection's file is missing or empty */
async function singleEntry<Name extends CollectionKey>(name: Name): Promise<CollectionEntry<Name>> {
  const [entry] = await getCollection(name);
  if (!entry) throw new Error(`The file for "${name}" in content/ is missing or empty.`);
  return entry;
}

/** The fields of a collection's only file, in the language of the page. @throws {Error} if the file is missing */
export async function fieldsOf<Name extends CollectionKey>(name: Name): Promise<Fields<Name>> {
  return translateTexts((await singleEntry(name)).data);
}

/**
 * The fields, body and headings of a collection's only MDX file, in the language of the page.
 * @throws {Error} if the file is missing
 */
export async function renderSingle<Name extends CollectionKey>(
  name: Name,
): Promise<LocalizedText & { readonly data: Fields<Name> }> {
  const entry = await singleEntry(name);
  return { ...(await renderLocalized(entry)), data: translateTexts(entry.data) };
}

/** The entries of a collection, sorted by `order`, with their fields in the language of the page. */
export async function getOrderedEntries<Name extends 'legal' | 'loanNote' | 'team'>(
  name: Name,
): Promise<readonly CollectionEntry<Name>[]> {
  const entries = (await getCollection(name)).toSorted((a, b) => a.data.order - b.data.order);
  return entries.map((entry) => ({ ...entry, data: translateTexts(entry.data) }));
}
