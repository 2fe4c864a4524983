import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { useMemo } from 'react';
import { type DeskAddress, type ListView, readDeskAddress, writeDeskAddress } from './desk-address.ts';

/** The fragment, and where the pages before this one of the list began: the way back that a list by cursor has not. */
interface Place {
  readonly fragment: string;
  readonly trail: readonly (string | null)[];
}

const TRAIL = 'adminTrail';
const $place = atom<Place>({ fragment: '', trail: [] });

function trailOf(state: unknown): Place['trail'] {
  const kept = typeof state === 'object' && state !== null ? Reflect.get(state, TRAIL) : null;
  return Array.isArray(kept) ? kept.filter((one) => one === null || typeof one === 'string') : [];
}

onMount($place, () => {
  if (typeof window === 'undefined') return;
  const read = () => $place.set({ fragment: location.hash, trail: trailOf(history.state) });
  read();
  window.addEventListener('popstate', read);
  return () => window.removeEventListener('popstate', read);
});

function go(address: DeskAddress, trail: Place['trail'], how: 'push' | 'replace'): void {
  const fragment = writeDeskAddress(address);
  const state = { ...history.state, [TRAIL]: trail };
  const url = `${location.pathname}${location.search}${fragment}`;
  if (how === 'push') history.pushState(state, '', url);
  else history.replaceState(state, '', url);
  $place.set({ fragment, trail });
}

export interface Desk {
  readonly address: DeskAddress;
  /** Leads to a tab, its list as it begins or as given. */
  readonly show: (address: DeskAddress) => void;
  /** Changes what the list is asked for; whatever is changed leads to its first page. */
  readonly change: (part: Partial<ListView>) => void;
  readonly nextPage: (after: string) => void;
  /** Null where the way back is not known: in an address that was shared. */
  readonly previousPage: (() => void) | null;
  readonly firstPage: () => void;
  /** Opens the dialog of a record, or closes it. */
  readonly open: (record: string | null) => void;
}

/** What the dashboard shows, kept in the page's address, and the ways on from there. */
export function useDesk(): Desk {
  const { fragment, trail } = useStore($place, { ssr: 'initial' });
  return useMemo(() => {
    const address = readDeskAddress(fragment);
    const { list } = address;
    const turn = (part: Partial<ListView>, way: Place['trail'], how: 'push' | 'replace' = 'push') => {
      if (list !== null) go({ ...address, record: null, list: { ...list, ...part } }, way, how);
    };
    const [before] = trail.slice(-1);
    return {
      address,
      show: (next) => go(next, [], 'push'),
      change: (part) =>
        turn({ ...part, after: null, page: 1 }, [], part.q === undefined ? 'push' : 'replace'),
      nextPage: (after) => turn({ after, page: (list?.page ?? 0) + 1 }, [...trail, list?.after ?? null]),
      previousPage:
        list === null || before === undefined
          ? null
          : () => turn({ after: before, page: list.page - 1 }, trail.slice(0, -1)),
      firstPage: () => turn({ after: null, page: 1 }, []),
      open: (record) => go({ ...address, record }, trail, address.record === null ? 'push' : 'replace'),
    };
  }, [fragment, trail]);
}
