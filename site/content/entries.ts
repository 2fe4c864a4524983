import {
  type CollectionEntry,
  type CollectionKey,
  getCollection,
  type RenderResult,
  render,
} from 'astro:content';

type Fields<Name extends CollectionKey> = CollectionEntry<Name>['data'];

/** The entry of a collection with one file. @throws {Error} if the file is missing */
async function singleEntry<Name extends CollectionKey>(name: Name): Promise<CollectionEntry<Name>> {
  const [entry] = await getCollection(name);
  if (!entry) throw new Error(`The file of "${name}" in content/ is missing or empty.`);
  return entry;
}

/** The fields of a collection with one file. @throws {Error} if the file is missing */
export async function fieldsOf<Name extends CollectionKey>(name: Name): Promise<Fields<Name>> {
  return (await singleEntry(name)).data;
}

/** The fields, body and headings of a collection with one MDX file. @throws {Error} if the file is missing */
export async function renderSingle<Name extends CollectionKey>(
  name: Name,
): Promise<RenderResult & { readonly data: Fields<Name> }> {
  const entry = await singleEntry(name);
  return { ...(await render(entry)), data: entry.data };
}

/** The entries of a folder, sorted by `order`. */
export async function inOrder<Name extends 'legal' | 'loanNote' | 'team'>(
  name: Name,
): Promise<readonly CollectionEntry<Name>[]> {
  return (await getCollection(name)).toSorted((a, b) => a.data.order - b.data.order);
}
