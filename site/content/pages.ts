import type { PageLink } from '../shell/navigation.ts';
import { fieldsOf, getOrderedEntries } from './entries.ts';

export type PagePath = `/${string}`;

export interface PageTexts {
  readonly title: string;
  readonly description: string;
  /** Whether search engines may list the page. */
  readonly index: boolean;
  /** Whether the service worker stores the page for offline reading. Ignored if `index` is false. */
  readonly offline: boolean;
}

export async function legalPages() {
  return (await getOrderedEntries('legal')).map((entry) => ({ ...entry, path: `/${entry.id}` as const }));
}

export async function legalLinks(): Promise<readonly PageLink[]> {
  return (await legalPages()).map(({ path, data }) => ({ label: data.title, href: path }));
}

/** Every page except aliases, by path. */
async function allPages(): Promise<ReadonlyMap<string, PageTexts>> {
  const others = Object.entries(await fieldsOf('pages')).flatMap(([path, page]) =>
    'alias' in page ? [] : [[path, page] as const],
  );
  const legal = (await legalPages()).map(
    ({ path, data }) => [path, { ...data, index: true, offline: true }] as const,
  );
  return new Map<string, PageTexts>([...others, ...legal]);
}

/** @throws {Error} if there is no such page, or the path is an alias */
export async function pageTexts(path: PagePath): Promise<PageTexts> {
  const page = (await allPages()).get(path);
  if (!page) throw new Error(`content/pages.yaml and content/legal/ have no page ${path}.`);
  return page;
}

/**
 * Every page that search engines may list, with its canonical path and the date of its last entry in `content/changes.yaml`.
 * @throws {Error} if that file lists an unknown page
 */
export async function listedPages() {
  const pages = await allPages();
  const changes = await recordedChanges();
  for (const { title, pages: changed } of changes) {
    const unknown = changed.find((path) => !pages.has(path));
    if (unknown) throw new Error(`content/changes.yaml: "${title}" lists ${unknown}, which is not a page.`);
  }
  return [...pages]
    .filter(([, { index }]) => index)
    .map(([path, page]) => ({
      ...page,
      // The schema checks that keys are paths.
      path: path as PagePath,
      changedOn: changes.find((change) => change.pages.some((changed) => changed === path))?.date ?? null,
    }));
}

/** The entries of `content/changes.yaml`, newest first. */
export async function recordedChanges() {
  const { changes } = await fieldsOf('changes');
  return changes.toSorted((a, b) => b.date.getTime() - a.date.getTime());
}
