import type { DashboardStats } from '../admin/admin-calls.ts';
import {
  DASHBOARD_PATH,
  type DashboardTab,
  dashboardUrl,
  tabLabel,
  tabRoute,
} from '../admin-dashboard/dashboard-route.ts';

interface NavigationEntry {
  /** For a view of the dashboard, the name of its tab. */
  readonly id: string;
  readonly label: string;
  readonly href: string;
  /** The SVG path data of the icon, in a view box of 16 × 16 units. */
  readonly icon: string;
  /** The number of waiting records, failed deliveries or unread mentions, depending on the entry. */
  readonly getCount?: (stats: DashboardStats) => number;
}

function toTabEntry(id: DashboardTab, icon: string, getCount?: NavigationEntry['getCount']): NavigationEntry {
  const entry = { id, label: tabLabel(id), href: dashboardUrl(tabRoute(id)), icon };
  return getCount === undefined ? entry : { ...entry, getCount };
}

export const countOpenRecords = (stats: DashboardStats): number =>
  stats.openApplications + stats.openRequests + stats.openLoans + stats.openContacts;

export const NAVIGATION_GROUPS: readonly {
  readonly title: string;
  readonly entries: readonly NavigationEntry[];
}[] = [
  {
    title: 'Work',
    entries: [
      toTabEntry(
        'overview',
        'M2.5 2.5H7v5H2.5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 10H7v3.5H2.5z',
        ({ unreadMentions }) => unreadMentions,
      ),
      toTabEntry(
        'applications',
        'M1.8 3.5h12.4v9H1.8zM1.8 6.5h12.4M4 10h3',
        ({ openApplications }) => openApplications,
      ),
      toTabEntry(
        'verification-requests',
        'M8 1.8l5.2 2v4c0 3-2.2 5.2-5.2 6.4-3-1.2-5.2-3.4-5.2-6.4v-4zM5.6 7.8l1.8 1.8 3.2-3.4',
        ({ openRequests }) => openRequests,
      ),
      toTabEntry(
        'loan-applications',
        'M3.5 1.8h6l3 3v9.4h-9zM9.5 1.8v3h3M5.8 8h4.4M5.8 10.8h4.4',
        ({ openLoans }) => openLoans,
      ),
      toTabEntry('contacts', 'M2 3h12v8H7l-3 2.5V11H2z', ({ openContacts }) => openContacts),
      toTabEntry(
        'delivery-logs',
        'M14 2 2 7l4.5 2.3L9 14zM6.5 9.3 14 2',
        ({ deadDeliveries }) => deadDeliveries,
      ),
    ],
  },
  {
    title: 'Records',
    entries: [
      {
        id: 'reports',
        label: 'Reports',
        href: '/admin/reports',
        icon: 'M2.5 13.5h11M4 13.5V8h2v5.5M7 13.5v-11h2v11M10 13.5V5.5h2v8',
      },
      {
        id: 'top-ups',
        label: 'Top-ups',
        href: '/admin/top-ups',
        icon: 'M1.8 4.5h12.4v8H1.8zM1.8 7h12.4M8 1.5v2M8 9v2M7 10h2',
      },
      {
        id: 'journal',
        label: 'Audit trail',
        href: '/admin/journal',
        icon: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.3 4h.8M2.3 8h.8M2.3 12h.8',
      },
      {
        id: 'duckling',
        label: 'Duckling journal',
        href: '/admin/duckling',
        icon: 'M2 2.5h12v8.7H8.5l-3 2.8v-2.8H2zM6.5 5.7a1.5 1.5 0 1 1 2.2 1.3c-.5.3-.7.5-.7 1M8 9.2v.2',
      },
    ],
  },
  {
    title: 'Settings',
    entries: [
      {
        id: 'account',
        label: 'Team & security',
        href: '/admin/account',
        icon: 'M6 7.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.8 13.5c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M10.8 2.6a2.3 2.3 0 0 1 0 4.4M12.2 9.8c1.3.5 2 1.7 2.2 3.7',
      },
      {
        id: 'webhooks',
        label: 'Webhooks',
        href: '/admin/webhooks',
        icon: 'M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4',
      },
      {
        id: 'bot',
        label: 'Telegram bot',
        href: '/bot-diagnostics',
        icon: 'M3 5.5h10v7H3zM8 5.5V3M6 8.6v.8M10 8.6v.8',
      },
      {
        id: 'erasure',
        label: 'Erase data',
        href: '/admin/erasure',
        icon: 'M2.5 4.2h11M6 4V2.3h4V4M4 4.2l.7 9.5h6.6l.7-9.5',
      },
    ],
  },
];

export const NAVIGATION_ENTRIES: readonly NavigationEntry[] = NAVIGATION_GROUPS.flatMap(
  ({ entries }) => entries,
);

/** The id of the entry for a path. On the dashboard, it is the id of the open tab's entry. */
export function entryIdAt(path: string, openTab: string): string | undefined {
  if (path === DASHBOARD_PATH) return openTab;
  if (path === '/new-bot-diagnostics') return 'bot';
  return NAVIGATION_ENTRIES.find(({ href }) => href === path)?.id;
}
