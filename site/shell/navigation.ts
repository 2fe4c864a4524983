import type { CollectionEntry } from 'astro:content';

export interface PageLink {
  readonly label: string;
  readonly href: `/${string}`;
}

/** A link to another site. Its label and URL are in `content/outside-links.yaml`. */
interface OutsideLink {
  readonly outsideKey: keyof CollectionEntry<'outsideLinks'>['data'];
}

export type NavigationLink = PageLink | OutsideLink;

export const HOME: PageLink = { label: 'Dashboard', href: '/' };
export const CONNECT_WALLET: PageLink = { label: 'Connect Wallet', href: '/virtual-card' };
export const CARD_SERVICES: OutsideLink = { outsideKey: 'card-services' };

export const MAIN_LINKS: readonly PageLink[] = [
  HOME,
  { label: 'Cards', href: '/virtual-card' },
  { label: 'Staking', href: '/staking' },
  { label: 'Analytics', href: '/analytics' },
  { label: 'Contact', href: '/contact' },
];

export const MORE_LINKS: readonly NavigationLink[] = [
  { label: 'My Position', href: '/my-position' },
  { label: 'Rewards', href: '/rewards' },
  { label: 'Tokenomics', href: '/tokenomics' },
  { label: 'Investor Journey', href: '/investor-journey' },
  { label: 'FAQ', href: '/faq' },
  { label: 'Links', href: '/links' },
  { label: 'Team', href: '/meet-the-team' },
  { label: 'Loan Note', href: '/convertible-loan' },
  CARD_SERVICES,
];

interface LinkGroup {
  readonly title: string;
  readonly links: readonly NavigationLink[];
}

/** The full-screen menu on small screens. It lists every public page. */
export function menuGroups(legalLinks: readonly PageLink[]): readonly LinkGroup[] {
  return [
    { title: 'Pages', links: MAIN_LINKS },
    {
      title: 'More',
      links: [
        ...MORE_LINKS.filter((link) => link !== CARD_SERVICES),
        { label: 'Enhanced Analytics', href: '/enhanced-analytics' },
        { label: 'Card Application', href: '/polished-card' },
        { label: 'Application Status', href: '/application-status' },
        { label: 'Developers', href: '/developers' },
      ],
    },
    { title: 'Legal', links: legalLinks },
    {
      title: 'Elsewhere',
      links: [
        CARD_SERVICES,
        { outsideKey: 'community' },
        { outsideKey: 'whatsapp' },
        { outsideKey: 'corporate-site' },
        { outsideKey: 'staking-portal' },
        { label: 'Admin Login', href: '/admin/login' },
      ],
    },
  ];
}

export function footerGroups(legalLinks: readonly PageLink[]): readonly LinkGroup[] {
  return [
    {
      title: 'Platform',
      links: [
        HOME,
        { label: 'Virtual Card', href: '/virtual-card' },
        { label: 'Staking Rewards', href: '/rewards' },
        { label: 'Tokenomics', href: '/tokenomics' },
        { label: 'Quick Links', href: '/links' },
        { label: 'Meet the Team', href: '/meet-the-team' },
      ],
    },
    {
      title: 'Resources',
      links: [
        { label: 'FAQ & Help', href: '/faq' },
        { label: 'Contact Support', href: '/contact' },
        { outsideKey: 'corporate-site' },
        { outsideKey: 'staking-portal' },
        { outsideKey: 'card-services-login' },
      ],
    },
    { title: 'Legal', links: legalLinks },
  ];
}

export function isAdminPage(path: string): boolean {
  return /^\/(?:admin\/|(?:new-)?bot-diagnostics$)/.test(path);
}
