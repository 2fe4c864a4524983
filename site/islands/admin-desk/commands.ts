import type { ExportFormat, ExportType } from '../../../data/contract/admin-files.ts';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { DESK_TABS, type DeskTab, type ListTab, TAB_NAMES } from './list-terms.ts';

/** What the command palette can do. */
export type Command = { readonly id: string; readonly label: string } & (
  | { readonly kind: 'tab'; readonly tab: DeskTab }
  | { readonly kind: 'queue'; readonly tab: ListTab }
  | { readonly kind: 'record'; readonly reference: string }
  | { readonly kind: 'search'; readonly tab: ListTab; readonly text: string }
  | { readonly kind: 'export'; readonly type: ExportType; readonly format: ExportFormat }
  | { readonly kind: 'team' | 'keys' | 'logout' }
);

const LISTS = DESK_TABS.filter((tab) => tab !== 'overview');
const QUEUES = ['applications', 'verification-requests', 'loan-applications'] as const;

const FIXED: readonly Command[] = [
  ...DESK_TABS.map(
    (tab) => ({ id: `go ${tab}`, kind: 'tab', tab, label: `Go to ${TAB_NAMES[tab]}` }) as const,
  ),
  ...QUEUES.map(
    (tab) => ({ id: `new ${tab}`, kind: 'queue', tab, label: `New: ${TAB_NAMES[tab]}` }) as const,
  ),
];
const EXPORTS: readonly Command[] = LISTS.flatMap((type) =>
  (['json', 'csv'] as const).map((format) => ({
    id: `export ${type} ${format}`,
    kind: 'export' as const,
    type,
    format,
    label: `Export ${TAB_NAMES[type]} as ${format.toUpperCase()}`,
  })),
);
const LAST: readonly Command[] = [
  { id: 'team', kind: 'team', label: 'Team & security' },
  { id: 'keys', kind: 'keys', label: 'Show the keys' },
  { id: 'logout', kind: 'logout', label: 'Logout' },
];

/** The commands that a text names, by all of its words; a reference number, and a search for the text, come first. */
export function commandsFor(text: string, mayExport: boolean): readonly Command[] {
  const sought = text.trim();
  const all = [...FIXED, ...(mayExport ? EXPORTS : []), ...LAST];
  if (sought === '') return all;
  const words = sought.toLowerCase().split(/\s+/);
  const named = all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const reference = sought.toUpperCase();
  if (REFERENCE_NUMBER.test(reference)) {
    return [{ id: 'record', kind: 'record', reference, label: `Open ${reference}` }, ...named];
  }
  const searches = LISTS.map(
    (tab) =>
      ({
        id: `search ${tab}`,
        kind: 'search',
        tab,
        text: sought,
        label: `Search ${TAB_NAMES[tab]} for “${sought}”`,
      }) as const,
  );
  return [...named, ...searches];
}
