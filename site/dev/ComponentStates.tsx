import { type ReactNode, useRef, useState } from 'react';
import type { Transactions } from '../../data/contract/metrics.ts';
import { EVENT_KINDS } from '../../data/model/chain-events.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { CARD_TIERS, STAKER_BADGES } from '../../data/model/tiers.ts';
import { FRESHNESS } from '../../data/model/value-state.ts';
import { ShareBar, shareSegments } from '../components/chart/ShareBar.tsx';
import type { Reading } from '../data/figure-query.ts';
import type { HistoryBody } from '../islands/chart/chart-data.ts';
import { ChartPanel } from '../islands/chart/HistoryChart.tsx';
import { ActivityList } from '../islands/feed/VaultActivity.tsx';
import { FailureBanner } from '../islands/form/FailureBanner.tsx';
import { ErrorSummary, Field, type FieldProps, SelectField } from '../islands/form/Field.tsx';
import { DraftHint } from '../islands/form/FormFields.tsx';
import { ModalDialog } from '../islands/form/ModalDialog.tsx';
import { SuccessHead } from '../islands/form/Success.tsx';
import { ReadTable } from '../islands/table/DataTable.tsx';
import type { TableSpec } from '../islands/table/table-spec.ts';
import { badgeColumn, stakedColumn, walletColumn } from '../islands/table/wallet-columns.tsx';
import TierActivatedDialog from '../islands/tier-activated/TierActivatedDialog.tsx';
import { WalletArtwork } from '../islands/tier-activated/WalletArtwork.tsx';
import { AddressEntry } from '../islands/ui/AddressEntry.tsx';
import { CopyButton } from '../islands/ui/CopyButton.tsx';
import { explorerLink } from '../islands/ui/explorer-link.ts';
import { Figure, FigureGrid } from '../islands/ui/Figure.tsx';
import { LinkedId } from '../islands/ui/LinkedId.tsx';
import { LiveSign } from '../islands/ui/Live.tsx';
import { LockProgress, LockTimeLeft } from '../islands/ui/Lock.tsx';
import type { Provenance } from '../islands/ui/provenance.ts';
import QrCode from '../islands/ui/QrCode.tsx';
import { Dash, Loading, RetryButton } from '../islands/ui/ReadStates.tsx';
import { StakerBadge } from '../islands/ui/StakerBadge.tsx';
import { showToast } from '../shell/toasts/show-toast.ts';
import styles from './component-states.module.css';

const WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const SIGNATURE = '5'.repeat(88);
const OPENED_AT = Date.now();
const DAY_MS = 86_400_000;
const link = explorerLink('https://explorer.solana.com', 'mainnet-beta');
const ignore = () => {};
const retry = { run: ignore, running: false };
const LOADING = { kind: 'loading' } as const;
const UNKNOWN = { kind: 'unknown' } as const;
const FAILED = { kind: 'failed', retry: ignore, isRetrying: false } as const;

type Wrapped = { readonly children: ReactNode };
const Row = ({ children }: Wrapped) => <div className={styles.row}>{children}</div>;
const Columns = ({ children }: Wrapped) => <div className={styles.columns}>{children}</div>;
const Stack = ({ children }: Wrapped) => <div className={styles.stack}>{children}</div>;

export function ActionStates() {
  return (
    <Row>
      <CopyButton text={WALLET} name="address" />
      <CopyButton text={WALLET} name="address" showsName />
      <RetryButton retry={retry} what="the sample" />
      <RetryButton retry={{ ...retry, running: true }} what="the sample" />
      <LinkedId id={WALLET} kind="address" link={link} name="Sample" />
      <LinkedId id={WALLET} kind="address" link={null} name="Sample" />
    </Row>
  );
}

function WithTypedText({ initial = '', children }: WithTypedTextProps) {
  const [value, onValue] = useState(initial);
  return children({ value, onValue });
}

interface WithTypedTextProps {
  readonly initial?: string;
  readonly children: (textProps: { value: string; onValue: (value: string) => void }) => ReactNode;
}

const CHOICES = ['Staking', 'Cards'].map((label) => ({ value: label.toLowerCase(), label }));
const EMAIL_ERROR = 'Enter an email address such as name@example.com.';
const FIELDS: readonly (Omit<FieldProps, 'value' | 'onValue'> & { readonly initial?: string })[] = [
  { id: 'sample-name', name: 'name', label: 'Name', hint: 'A hint.' },
  { id: 'sample-email', name: 'email', label: 'Email', type: 'email', error: EMAIL_ERROR, initial: 'name@' },
  { id: 'sample-handle', name: 'handle', label: 'Telegram', prefix: '@', optional: true },
  { id: 'sample-mono', name: 'wallet', label: 'Wallet address', isMono: true, initial: WALLET },
  { id: 'sample-message', name: 'message', label: 'Message', rows: 3 },
];

export function FieldStates() {
  return (
    <Columns>
      {FIELDS.map(({ initial = '', ...field }) => (
        <WithTypedText key={field.id} initial={initial}>
          {(textProps) => <Field {...field} {...textProps} />}
        </WithTypedText>
      ))}
      <WithTypedText>
        {(textProps) => (
          <SelectField id="sample-topic" name="topic" label="Topic" choices={CHOICES} {...textProps} />
        )}
      </WithTypedText>
      {[false, true].map((isInvalid) => (
        <WithTypedText key={String(isInvalid)} initial={isInvalid ? 'not-an-address' : ''}>
          {({ value, onValue }) => (
            <AddressEntry
              id={`sample-address-${isInvalid}`}
              hint="Any Solana address."
              text={value}
              onText={onValue}
              isInvalid={isInvalid}
              submitLabel="Check"
              canSubmit={value !== ''}
              onSubmit={() => true}
            />
          )}
        </WithTypedText>
      ))}
    </Columns>
  );
}

export function FormStates() {
  return (
    <Columns>
      <ErrorSummary
        errors={[{ id: 'sample-email', message: 'Enter an email address.' }]}
        summary={useRef(null)}
      />
      <FailureBanner sendState={{ kind: 'no-network' }} retry={ignore} />
      <DraftHint />
    </Columns>
  );
}

const provenanceOfAge = (ageMs: number): Provenance => ({
  kind: 'read',
  asOf: OPENED_AT - ageMs,
  source: 'chain',
  calls: [],
  // Without this, later reads of the chain would make the sample `live`.
  freshness: FRESHNESS.chain,
});
const { intervalMs, limitMs } = FRESHNESS.chain;

const FIGURES: readonly (readonly [label: string, value: string | null, Provenance])[] = [
  ['Live', '99,998,436.01', provenanceOfAge(0)],
  ['Ageing', '99,998,436.01', provenanceOfAge(2 * intervalMs)],
  ['Stale', '99,998,436.01', provenanceOfAge(limitMs)],
  ['Reference', '102,000,000', { kind: 'reference', why: 'Could not load', retry }],
  ['Unavailable', null, { kind: 'unavailable', why: 'Could not load', retry }],
  ['Loading', null, LOADING],
];

export function FigureStates() {
  const source = <LinkedId id={WALLET} kind="address" link={link} name="Vault" />;
  const tiles = (size: 'large' | 'small') =>
    FIGURES.map(([label, value, provenance]) => (
      <Figure key={label} {...{ label, value, provenance, size, source }} unit="BD" fact="A fact" />
    ));
  return (
    <Stack>
      <LiveSign />
      <FigureGrid columns={3}>{tiles('large')}</FigureGrid>
      <FigureGrid columns={3}>{tiles('small')}</FigureGrid>
    </Stack>
  );
}

type Staker = {
  readonly wallet: string;
  readonly staked: string;
  readonly badge: (typeof STAKER_BADGES)[number] | null;
};
const STAKERS: readonly Staker[] = [null, ...STAKER_BADGES].map((badge, index) => ({
  wallet: `${index + 1}${WALLET.slice(1)}`,
  staked: String(1_000_000 * (index + 1)),
  badge,
}));
const spec = (name: string): TableSpec<Staker> => ({
  name,
  caption: `Stakers, ${name}`,
  findLabel: 'Find a wallet',
  sorting: { id: 'staked', desc: true },
  rowKey: ({ wallet }) => wallet,
  searchedTextOf: ({ wallet }) => wallet,
  columns: [
    walletColumn(({ wallet }) => wallet, link),
    badgeColumn(({ badge }) => badge),
    stakedColumn(({ staked }) => staked),
  ],
  csv: { fileName: 'sample.csv', header: ['Wallet'], cells: ({ wallet }) => [wallet] },
});
const TABLES = [
  { spec: spec('known'), reading: { kind: 'known', body: null }, rows: STAKERS },
  { spec: spec('loading'), reading: LOADING, rows: [] },
  { spec: spec('empty'), reading: { kind: 'known', body: null }, rows: [] },
  { spec: spec('unknown'), reading: UNKNOWN, rows: [] },
  { spec: spec('failed'), reading: FAILED, rows: [] },
] as const;

export function TableStates() {
  return (
    <Stack>
      {TABLES.map((table) => (
        <ReadTable
          key={table.spec.name}
          {...table}
          skeletonRows={3}
          what="the sample"
          failedText="Could not load the stakers."
          unknownText="Loading the stakers from the chain."
          emptyText="No active stakes at the moment."
        />
      ))}
    </Stack>
  );
}

const HISTORY: HistoryBody = {
  series: 'vault',
  range: '30d',
  resolution: 'day',
  points: Array.from({ length: 30 }, (_, day) => ({
    at: new Date(OPENED_AT - (30 - day) * DAY_MS).toISOString(),
    value: String(99_000_000 + Math.round(900_000 * Math.sin(day / 4)) + day * 20_000),
  })),
  asOf: new Date(OPENED_AT).toISOString(),
  slot: 1,
  source: ['embedded-ledger'],
  state: 'live',
};
const CHARTS: readonly Reading<HistoryBody>[] = [{ kind: 'known', body: HISTORY }, LOADING, UNKNOWN, FAILED];
const SHARES = ['Vault', 'Staked', 'Rest'].map((label, index) => ({
  id: label,
  label,
  percent: [20, 30, 50][index] ?? 0,
}));

export function ChartStates() {
  return (
    <Stack>
      {CHARTS.map((reading) => (
        <ChartPanel
          key={reading.kind}
          series="vault"
          range="30d"
          onRange={ignore}
          reading={reading}
          latest={null}
        />
      ))}
      {shareSegments(SHARES).map(({ id, label, x, width }) => (
        <div key={id} className={styles.share}>
          {label} <ShareBar x={x} width={width} />
        </div>
      ))}
    </Stack>
  );
}

const TRANSACTIONS: Transactions = EVENT_KINDS.map((type, part) => ({
  type,
  account: 'vault',
  amount: '1500000',
  signature: SIGNATURE,
  part,
  status: part === 0 ? 'confirmed' : 'finalized',
  blockTime: Math.floor(OPENED_AT / 1_000) - part * 3_600,
  wallet: WALLET,
  slot: 1,
}));

export function ListStates() {
  const lists: readonly Reading<Transactions>[] = [{ kind: 'known', body: TRANSACTIONS }, LOADING, FAILED];
  return (
    <Columns>
      {lists.map((reading) => (
        <ActivityList key={reading.kind} link={link} reading={reading} />
      ))}
    </Columns>
  );
}

export function StakeStates() {
  return (
    <Stack>
      <Row>
        {[...STAKER_BADGES, null].map((badge) => (
          <StakerBadge key={badge} badge={badge} />
        ))}
        <Dash />
        <Loading width={12} />
      </Row>
      {[-60, -200].map((days) => {
        const times = {
          startedAt: OPENED_AT + days * DAY_MS,
          unlocksAt: OPENED_AT + (LOCK_DAYS + days) * DAY_MS,
        };
        return (
          <Row key={days}>
            <LockTimeLeft {...times} />
            <span className={styles.progress}>
              <LockProgress {...times} />
            </span>
          </Row>
        );
      })}
      <Row>
        {CARD_TIERS.map((tier) => (
          <WalletArtwork key={tier} className={styles.artwork} tier={tier} walletAddress={WALLET} />
        ))}
      </Row>
      <QrCode text={WALLET} label="Sample code" />
    </Stack>
  );
}

const TOASTS: readonly Parameters<typeof showToast>[0][] = [
  { title: 'Plain', text: 'A text.' },
  { title: 'Success', text: 'A text.', kind: 'success' },
  { title: 'Warning', text: 'A text.', kind: 'warning', corner: 'top' },
  { title: 'Failure', text: 'A text.', kind: 'failure', actions: [{ label: 'Retry', run: ignore }] },
];

export function MessageStates() {
  const [openDialog, setOpen] = useState<'dialog' | 'tier' | null>(null);
  const close = () => setOpen(null);
  return (
    <Row>
      {TOASTS.map((toast) => (
        <button key={toast.title} type="button" className="button" onClick={() => void showToast(toast)}>
          {toast.title} toast
        </button>
      ))}
      <button type="button" className="button" onClick={() => setOpen('dialog')}>
        Dialog
      </button>
      <button type="button" className="button" onClick={() => setOpen('tier')}>
        Tier dialog
      </button>
      <button type="button" className="button" data-tooltip="A tooltip">
        Tooltip
      </button>
      {openDialog === 'dialog' ? (
        <ModalDialog labelledby="sample-dialog" isBusy={false} onClose={close}>
          {(closeDialog) => (
            <>
              <SuccessHead
                id="sample-dialog"
                title="We've received your message."
                referenceNumber="BD-20261121-000042"
              />
              <button type="button" className="button gold" onClick={closeDialog}>
                Close
              </button>
            </>
          )}
        </ModalDialog>
      ) : null}
      {openDialog === 'tier' ? (
        <TierActivatedDialog tier="Banker" stakedAmount="5000000" walletAddress={WALLET} onClose={close} />
      ) : null}
    </Row>
  );
}
