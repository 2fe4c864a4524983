import type { ResponseOf } from '../../../data/contract/call.ts';
import type { vaultLiveBalance } from '../../../data/contract/metrics.ts';
import type { networkHealth } from '../../../data/contract/network.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { programSummary } from '../../../data/contract/stakes.ts';
import { ageState, FRESHNESS, freshnessOfReads } from '../../../data/model/value-state.ts';
import { request } from '../../data/request.ts';
import { explorerLink } from '../../islands/ui/explorer-link.ts';
import { copyText } from '../../shell/copy-text.ts';
import { createButton, createElement, createLink } from '../../shell/elements.ts';

/** Milliseconds between reads. Also the timeout of each read. */
export const POLL_INTERVAL_MS = 30_000;

/** A live amount of BD as a decimal string. */
interface LiveAmount {
  readonly amount: string;
  readonly state: 'live' | 'ageing' | 'stale';
  readonly asOf: string;
}

interface OfficialAddress {
  readonly id: 'vault' | 'stake-program' | 'token';
  readonly address: string;
  /** Null if no public explorer shows the chain. */
  readonly href: string | null;
  readonly liveAmount: LiveAmount | null;
}

/** Formats a decimal string exactly. The shared formatter would also load the live islands' script. */
const bdFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

async function readJson<Body>(path: string): Promise<Body> {
  const response = await request('GET', path, { signal: AbortSignal.timeout(POLL_INTERVAL_MS) });
  // The cast is safe, because the API's responses are tested against the contract.
  return response.json() as Promise<Body>;
}

/** Read once, and again only after a failure, because the cluster never changes. */
let cluster: Promise<ResponseOf<typeof networkHealth>['cluster']> | null = null;

function readCluster() {
  cluster ??= readJson<ResponseOf<typeof networkHealth>>(PATHS.networkHealth).then(
    (health) => health.cluster,
    (error: unknown) => {
      cluster = null;
      throw error;
    },
  );
  return cluster;
}

/** @throws {Error} if a call fails */
async function readAddresses(explorer: string) {
  const [balance, summary, addressCluster] = await Promise.all([
    readJson<ResponseOf<typeof vaultLiveBalance>>(PATHS.vaultLiveBalance),
    readJson<ResponseOf<typeof programSummary>>(PATHS.programSummary),
    readCluster(),
  ]);
  const link = explorerLink(explorer, addressCluster);
  const withLink = (address: string) => ({ address, href: link?.('address', address) ?? null });
  const addresses: readonly OfficialAddress[] = [
    {
      id: 'vault',
      ...withLink(balance.vaultAddress),
      liveAmount: { ...balance, amount: balance.vaultBalance },
    },
    {
      id: 'stake-program',
      ...withLink(summary.programAddress),
      liveAmount: { ...summary, amount: summary.totalValue },
    },
    { id: 'token', ...withLink(summary.tokenAddress), liveAmount: null },
  ];
  return { addresses, isDemonstration: balance.source === 'embedded-ledger' };
}

const COPY_NAMES = { vault: 'vault address', 'stake-program': 'program address', token: 'token address' };

function addressNodes({ id, address, href }: OfficialAddress): readonly Node[] {
  const code = createElement('code', 'full-id', address);
  if (href === null) code.tabIndex = 0;
  const name = COPY_NAMES[id];
  const copyButton = createButton('button small', () => void copyText(address, name), 'Copy');
  copyButton.append(createElement('span', 'visually-hidden', ` ${name}`));
  return [href === null ? code : createLink('', href, code), copyButton];
}

const STATES_BY_AGE = ['live', 'ageing', 'stale'] as const;

/**
 * The state of an amount after a failed read: the state for its age, but never a better state than before.
 * @param readAt the time of the last successful read, Unix ms
 */
export function stateAfterFailure(state: (typeof STATES_BY_AGE)[number], readAt: number, now: number) {
  const stateByAge = ageState(readAt, now, freshnessOfReads(POLL_INTERVAL_MS, FRESHNESS.chain));
  return STATES_BY_AGE.indexOf(stateByAge) > STATES_BY_AGE.indexOf(state) ? stateByAge : state;
}

function liveNodes({ amount, state, asOf }: LiveAmount): readonly Node[] {
  const moment = new Date(asOf);
  const label = `${state.charAt(0).toUpperCase()}${state.slice(1)}`;
  const time = createElement('time', '', `${label}, ${moment.toLocaleTimeString('en-GB')}`);
  time.dateTime = asOf;
  time.title = moment.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  return [document.createTextNode(`${bdFormat.format(amount as `${number}`)} BD`), time];
}

/** Replaces content only if it changes, so that a text selection survives. */
function replaceContent(element: Element | null | undefined, nodes: readonly Node[]): void {
  const text = nodes.map((node) => node.textContent).join('');
  if (element && element.textContent !== text) element.replaceChildren(...nodes);
}

/**
 * Shows the official addresses with explorer links and live amounts. Reads them at intervals while the page is visible. If a
 * read fails, the last amounts stay on the page, marked as ageing, then stale.
 */
export function startAddressUpdates(list: HTMLElement): void {
  const section = list.parentElement;
  const failureElement = section?.querySelector<HTMLElement>('[data-failed]');
  const demonstrationNote = section?.querySelector<HTMLElement>('[data-demonstration]');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastRead: { readonly addresses: readonly OfficialAddress[]; readonly readAt: number } | null = null;

  const elementOf = ({ id }: OfficialAddress, part: 'key' | 'live') =>
    list.querySelector(`[data-address="${id}"] [data-${part}]`);

  function showStatesByAge(): void {
    for (const one of lastRead?.addresses ?? []) {
      if (!lastRead || !one.liveAmount) continue;
      const state = stateAfterFailure(one.liveAmount.state, lastRead.readAt, Date.now());
      replaceContent(elementOf(one, 'live'), liveNodes({ ...one.liveAmount, state }));
    }
  }

  async function refresh(): Promise<void> {
    clearTimeout(timer);
    try {
      const { addresses, isDemonstration } = await readAddresses(list.dataset.explorer ?? '');
      for (const one of addresses) {
        replaceContent(elementOf(one, 'key'), addressNodes(one));
        if (one.liveAmount) replaceContent(elementOf(one, 'live'), liveNodes(one.liveAmount));
      }
      lastRead = { addresses, readAt: Date.now() };
      if (demonstrationNote) demonstrationNote.hidden = !isDemonstration;
      if (failureElement) failureElement.hidden = true;
    } catch {
      showStatesByAge();
      if (failureElement) failureElement.hidden = false;
    }
    if (!document.hidden) timer = setTimeout(refresh, POLL_INTERVAL_MS);
  }

  failureElement?.querySelector('[data-retry]')?.addEventListener('click', () => void refresh());
  addEventListener('online', () => void refresh());
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) void refresh();
  });
  void refresh();
}
