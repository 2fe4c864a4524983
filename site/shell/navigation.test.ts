import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  footerGroups,
  isAdminPage,
  MAIN_LINKS,
  MORE_LINKS,
  menuGroups,
  type PageLink,
} from './navigation.ts';

const files = await readdir('content/legal');
const legalLinks = files.map((file): PageLink => ({ label: file, href: `/${file.replace('.mdx', '')}` }));

it('the header links to the main pages, and to the others under More', () => {
  const links = [...MAIN_LINKS, ...MORE_LINKS].map((link) =>
    'href' in link ? `${link.label} ${link.href}` : link.outsideKey,
  );
  const main = ['Dashboard /', 'Cards /virtual-card', 'Staking /staking'];
  expect(links.slice(0, 5)).toEqual([...main, 'Analytics /analytics', 'Contact /contact']);
  const more = ['My Position /my-position', 'Rewards /rewards', 'FAQ /faq', 'Team /meet-the-team'];
  expect(links.slice(5)).toEqual(
    expect.arrayContaining([...more, 'Loan Note /convertible-loan', 'card-services']),
  );
});

it('the full-screen menu offers every public page once, and the external links', async () => {
  const pages: Record<string, { alias?: string; index?: boolean }> = parse(
    await readFile('content/pages.yaml', 'utf8'),
  );
  const publicPaths = Object.keys(pages).filter(
    (path) => !pages[path]?.alias && pages[path]?.index !== false,
  );
  expect(publicPaths.length).toBeGreaterThan(12);
  const links = menuGroups(legalLinks).flatMap((group) => group.links);
  const paths = links.flatMap((link) => ('href' in link ? link.href : []));
  expect(paths.toSorted()).toEqual(
    [...publicPaths, ...legalLinks.map(({ href }) => href), '/admin/login'].toSorted(),
  );
  const externalLinks = links.flatMap((link) => ('outsideKey' in link ? link.outsideKey : []));
  expect(externalLinks).toEqual(expect.arrayContaining(['community', 'whatsapp', 'card-services']));
});

it('the footer has the platform, resources and legal lists', () => {
  expect(footerGroups(legalLinks).map(({ title, links }) => [title, links.length])).toEqual([
    ['Platform', 6],
    ['Resources', 5],
    ['Legal', legalLinks.length],
  ]);
});

it.each([
  ['/admin/login', true],
  ['/bot-diagnostics', true],
  ['/new-bot-diagnostics', true],
  ['/', false],
  ['/administration', false],
])('the page %s is for the team only: %s', (path, isAdmin) => {
  expect(isAdminPage(path)).toBe(isAdmin);
});
