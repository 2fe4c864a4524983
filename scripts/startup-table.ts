import type { PortalConfig } from '../data/config/environment.ts';

export interface Started {
  readonly url: string;
  readonly ledgerPort: string | null;
  readonly seconds: string;
  /** What the indexer has to say of its start. */
  readonly note: string | number | null;
  readonly processIds: Readonly<Record<string, number>>;
}

/** What runs where, and which parts are embedded stand-ins, as the lines `npm start` prints. Hosts only: a path may hold a key. */
export function startupTable(config: PortalConfig, started: Started): string {
  const { solana } = config;
  const pid = (program: string) => `pid ${started.processIds[program]}`;
  const chain =
    solana.kind === 'embedded'
      ? `embedded ledger at http://127.0.0.1:${started.ledgerPort}, demo actors ${solana.actors ? 'on' : 'off'}, ${pid('ledger')}`
      : `endpoints ${[...solana.rpcUrls.map((url) => new URL(url).host), ...(config.helius ? ['Helius'] : [])].join(', ')}`;
  const { feeds } = config.market;
  const market =
    feeds[0] === 'demo' ? 'embedded demo feed, not a market price' : `feeds ${feeds.join(', then ')}`;
  const rows = [
    ['Solana', chain],
    [
      'Indexer',
      `follows vault ${config.addresses.vault} and stake pool ${config.addresses.stakePool}, ${pid('indexer')}`,
    ],
    ['Market', market],
    ['Cards', config.cards.issuer.kind === 'stripe' ? 'Stripe Issuing' : 'embedded sandbox, test cards only'],
    ['Store', config.dataDir],
    ['Site, API', `${started.url}, ${pid('api')}`],
  ] as const;
  const notes = started.note === null ? [] : [`  Note: ${started.note}`];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return [
    '',
    'BlackDuck portal',
    ...lines,
    ...notes,
    '',
    `Ready in ${started.seconds} s. Stop with Ctrl-C.`,
  ].join('\n');
}
