import type { ResponseOf } from '../../../data/contract/call.ts';
import type { vaultLiveBalance } from '../../../data/contract/metrics.ts';
import type { networkHealth } from '../../../data/contract/network.ts';
import type { programSummary } from '../../../data/contract/stakes.ts';
import { ageState, FRESHNESS } from '../../../data/model/value-state.ts';
import { request } from '../../data/request.ts';
import { explorerLink } from '../../islands/figure/explorer-link.ts';

/** Milliseconds between two reads, and after which one is given up. */
const INTERVAL = 30_000;

/** A live amount of BD as decimal text, and what is known of its reading. */
interface LiveAmount {
  readonly amount: string;
  readonly state: 'live' | 'ageing' | 'stale';
  readonly asOf: string;
}

/** What one row shows. */
interface OfficialAddress {
  readonly id: 'vault' | 'stake-program' | 'token';
  readonly address: string;
  /** Null where the address is not in the public explorer. */
  readonly href: string | null;
  readonly live: LiveAmount | null;
}

/** Reads decimal text exactly, though its type takes any text for none. The formatter of figures would bring the live islands' script with it. */
const bd = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

async function read<Body>(path: string): Promise<Body> {
  const response = await request('GET', path, { signal: AbortSignal.timeout(INTERVAL) });
  // The portal's own API keeps its contract.
  return response.json() as Promise<Body>;
}

/** @throws {Error} where a call fails. */
async function readAddresses(explorer: string) {
  const [balance, summary, health] = await Promise.all([
    read<ResponseOf<typeof vaultLiveBalance>>('/api/vault/live-balance'),
    read<ResponseOf<typeof programSummary>>('/api/staking/program-summary'),
    read<ResponseOf<typeof networkHealth>>('/api/network/health'),
  ]);
  const link = explorerLink(explorer, health.cluster);
  const linked = (address: string) => ({ address, href: link?.('address', address) ?? null });
  const addresses: readonly OfficialAddress[] = [
    { id: 'vault', ...linked(balance.vaultAddress), live: { ...balance, amount: balance.vaultBalance } },
    {
      id: 'stake-program',
      ...linked(summary.programAddress),
      live: { ...summary, amount: summary.totalValue },
    },
    { id: 'token', ...linked(summary.tokenAddress), live: null },
  ];
  return { addresses, isDemonstration: balance.source === 'embedded-ledger' };
}

function keyNode({ address, href }: OfficialAddress): Node {
  const code = document.createElement('code');
  code.textContent = address;
  if (href === null) return code;
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.append(code);
  return link;
}

const WORSE = ['live', 'ageing', 'stale'] as const;

/**
 * What may be said of an amount that could not be read again: it has grown older since it was read (both Unix ms), and is
 * never younger than it was then.
 */
export function stateUnread(told: (typeof WORSE)[number], readAt: number, now: number) {
  const since = ageState(readAt, now, FRESHNESS.chain);
  return WORSE.indexOf(since) > WORSE.indexOf(told) ? since : told;
}

function liveNodes({ amount, state, asOf }: LiveAmount): readonly Node[] {
  const time = document.createElement('time');
  const moment = new Date(asOf);
  time.dateTime = asOf;
  time.title = moment.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  const word = `${state.charAt(0).toUpperCase()}${state.slice(1)}`;
  time.textContent = `${word}, ${moment.toLocaleTimeString('en-GB')}`;
  return [document.createTextNode(`${bd.format(amount as `${number}`)} BD`), time];
}

/** Puts what is shown already aside only for something else: a selection that is being copied stays. */
function fill(place: Element | null | undefined, nodes: readonly Node[]): void {
  const text = nodes.map((node) => node.textContent).join('');
  if (place && place.textContent !== text) place.replaceChildren(...nodes);
}

/**
 * Shows the official addresses, each with its link to the explorer and its live amount, and reads them again every 30
 * seconds while the page is seen. What was shown stays, with its time and as old as it is, where a later read fails.
 */
export function keepAddresses(list: HTMLElement): void {
  const section = list.parentElement;
  const failed = section?.querySelector<HTMLElement>('[data-failed]');
  const unset = section?.querySelector<HTMLElement>('[data-unset]');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: { readonly addresses: readonly OfficialAddress[]; readonly readAt: number } | null = null;

  const placeOf = ({ id }: OfficialAddress, part: 'key' | 'live') =>
    list.querySelector(`[data-address="${id}"] [data-${part}]`);

  function growOlder(): void {
    for (const one of shown?.addresses ?? []) {
      if (!shown || !one.live) continue;
      const state = stateUnread(one.live.state, shown.readAt, Date.now());
      fill(placeOf(one, 'live'), liveNodes({ ...one.live, state }));
    }
  }

  async function show(): Promise<void> {
    clearTimeout(timer);
    try {
      const { addresses, isDemonstration } = await readAddresses(list.dataset.explorer ?? '');
      for (const one of addresses) {
        fill(placeOf(one, 'key'), [keyNode(one)]);
        if (one.live) fill(placeOf(one, 'live'), liveNodes(one.live));
      }
      shown = { addresses, readAt: Date.now() };
      if (unset) unset.hidden = !isDemonstration;
      if (failed) failed.hidden = true;
    } catch {
      growOlder();
      if (failed) failed.hidden = false;
    }
    if (!document.hidden) timer = setTimeout(show, INTERVAL);
  }

  failed?.querySelector('[data-retry]')?.addEventListener('click', () => void show());
  addEventListener('online', () => void show());
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) void show();
  });
  void show();
}
