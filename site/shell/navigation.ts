import type { CollectionEntry } from 'astro:content';

/** A page of this site. */
export interface PageLink {
  readonly label: string;
  readonly href: `/${string}`;
}

/** A link that leaves the site: its label and address are an editor's, in `content/links.yaml`. */
export interface OutsideLink {
  readonly outside: keyof CollectionEntry<'links'>['data'];
}

export type NavigationLink = PageLink | OutsideLink;

/** Every list of links that a page of this site carries, and nothing else. */

export const HOME: PageLink = { label: 'Dashboard', href: '/' };
export const CONNECT_WALLET: PageLink = { label: 'Connect Wallet', href: '/virtual-card' };
export const CARD_SERVICES: OutsideLink = { outside: 'card-services' };

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

export const LEGAL_LINKS: readonly PageLink[] = [
  { label: 'Privacy Policy', href: '/privacy-policy' },
  { label: 'Terms of Service', href: '/terms-of-service' },
  { label: 'Risk Disclaimer', href: '/disclaimer' },
];

/** The full-screen menu of small screens, which offers every page. */
export const MENU_GROUPS: readonly { readonly title: string; readonly links: readonly NavigationLink[] }[] = [
  { title: 'Pages', links: MAIN_LINKS },
  {
    title: 'More',
    links: [
      ...MORE_LINKS.filter((link) => link !== CARD_SERVICES),
      { label: 'Enhanced Analytics', href: '/enhanced-analytics' },
      { label: 'Card Application', href: '/polished-card' },
      { label: 'Application Status', href: '/application-status' },
    ],
  },
  { title: 'Legal', links: LEGAL_LINKS },
  {
    title: 'Elsewhere',
    links: [
      CARD_SERVICES,
      { outside: 'community' },
      { outside: 'whatsapp' },
      { outside: 'corporate-site' },
      { outside: 'staking-portal' },
      { label: 'Admin Login', href: '/admin/login' },
    ],
  },
];

export const FOOTER_GROUPS: readonly { readonly title: string; readonly links: readonly NavigationLink[] }[] =
  [
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
        { outside: 'corporate-site' },
        { outside: 'staking-portal' },
        { outside: 'card-services-login' },
      ],
    },
    { title: 'Legal', links: LEGAL_LINKS },
  ];
