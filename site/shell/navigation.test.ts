import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FOOTER_GROUPS, MAIN_LINKS, MENU_GROUPS, MORE_LINKS, type NavigationLink } from './navigation.ts';

const told = (links: readonly NavigationLink[]) =>
  links.map((link) => ('href' in link ? `${link.label} ${link.href}` : link.outside));

describe('the header', () => {
  it('links the five main pages', () => {
    expect(told(MAIN_LINKS)).toEqual([
      'Dashboard /',
      'Cards /virtual-card',
      'Staking /staking',
      'Analytics /analytics',
      'Contact /contact',
    ]);
  });

  it('has the rest and the external card services under More', () => {
    expect(told(MORE_LINKS)).toEqual([
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

describe('the full-screen menu', () => {
  const all = told(MENU_GROUPS.flatMap(({ links }) => links));

  it('offers every page that is open to all, once', async () => {
    const pages: Record<string, { alias?: string; index?: boolean }> = parse(
      await readFile('content/pages.yaml', 'utf8'),
    );
    const open = Object.keys(pages).filter((path) => !pages[path]?.alias && pages[path]?.index !== false);
    expect(open.length).toBeGreaterThan(15);
    const offered = all.flatMap((line) => / (\/\S*)$/.exec(line)?.[1] ?? []);
    expect(offered.toSorted()).toEqual([...open, '/admin/login'].toSorted());
  });

  it('offers the community, WhatsApp, card services and the admin login', () => {
    expect(all).toEqual(
      expect.arrayContaining(['community', 'whatsapp', 'card-services', 'Admin Login /admin/login']),
    );
  });
});

describe('the footer', () => {
  it('has the platform, resources and legal lists', () => {
    expect(FOOTER_GROUPS.map(({ title, links }) => [title, links.length])).toEqual([
      ['Platform', 6],
      ['Resources', 5],
      ['Legal', 3],
    ]);
  });
});
