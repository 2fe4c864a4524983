import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  footerGroups,
  isAdminPage,
  MAIN_LINKS,
  MORE_LINKS,
  menuGroups,
  type NavigationLink,
  type PageLink,
} from './navigation.ts';

const listed = (links: readonly NavigationLink[]) =>
  links.map((link) => ('href' in link ? `${link.label} ${link.href}` : link.outside));

describe('the header', () => {
  it('links the five main pages', () => {
    expect(listed(MAIN_LINKS)).toEqual([
      'Dashboard /',
      'Cards /virtual-card',
      'Staking /staking',
      'Analytics /analytics',
      'Contact /contact',
    ]);
  });

  it('has the other pages and the external card services under More', () => {
    expect(listed(MORE_LINKS)).toEqual([
      'My Position /my-position',
      'Rewards /rewards',
      'Tokenomics /tokenomics',
      'Investor Journey /investor-journey',
      'FAQ /faq',
      'Links /links',
      'Team /meet-the-team',
      'Loan Note /convertible-loan',
      'card-services',
    ]);
  });
});

const files = await readdir('content/legal');
const legal = files.map((file): PageLink => ({ label: file, href: `/${file.replace('.mdx', '')}` }));

describe('the full-screen menu', () => {
  const all = listed(menuGroups(legal).flatMap(({ links }) => links));

  it('offers every public page once', async () => {
    const pages: Record<string, { alias?: string; index?: boolean }> = parse(
      await readFile('content/pages.yaml', 'utf8'),
    );
    const open = Object.keys(pages).filter((path) => !pages[path]?.alias && pages[path]?.index !== false);
    expect(open.length).toBeGreaterThan(12);
    const offered = all.flatMap((line) => / (\/\S*)$/.exec(line)?.[1] ?? []);
    expect(offered.toSorted()).toEqual(
      [...open, ...legal.map(({ href }) => href), '/admin/login'].toSorted(),
    );
  });

  it('offers the community, WhatsApp, card services and the admin login', () => {
    expect(all).toEqual(
      expect.arrayContaining(['community', 'whatsapp', 'card-services', 'Admin Login /admin/login']),
    );
  });
});

it('the footer has the platform, resources and legal lists', () => {
  expect(footerGroups(legal).map(({ title, links }) => [title, links.length])).toEqual([
    ['Platform', 6],
    ['Resources', 5],
    ['Legal', legal.length],
  ]);
});

it.each([
  ['/admin/login', true],
  ['/bot-diagnostics', true],
  ['/new-bot-diagnostics', true],
  ['/', false],
  ['/staking', false],
  ['/administration', false],
])('the page %s is for the team only: %s', (path, isAdmin) => {
  expect(isAdminPage(path)).toBe(isAdmin);
});
