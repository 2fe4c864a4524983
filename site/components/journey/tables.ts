import { type CollectionEntry, getEntry } from 'astro:content';

/** The journey's tables. @throws {Error} where `content/journey/scenarios.yaml` is missing. */
export async function journeyTables(): Promise<CollectionEntry<'journeyTables'>['data']> {
  const entry = await getEntry('journeyTables', 'journey/scenarios');
  if (!entry) throw new Error('content/journey/scenarios.yaml is missing or is not valid YAML.');
  return entry.data;
}
