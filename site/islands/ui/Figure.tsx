import { useStore } from '@nanostores/react';
import { memo, type ReactNode } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { isAgeUnknown } from '../../../data/model/value-state.ts';
import { $callReads, $lastReads, type FigureRead, lastConfirmedAt } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigureState } from '../../data/use-figure.ts';
import styles from './figure.module.css';
import { type Provenance, type Retry, showsTheSame } from './provenance.ts';
import { Dash, LoadingText, RetryButton } from './ReadStates.tsx';
import '../../styles/lined-grid.css';

interface FigureProps {
  readonly label: string;
  /** The figure without its unit; null is shown as a dash. Ignored while loading. */
  readonly value: string | null;
  readonly prefix?: string;
  readonly unit: string;
  readonly provenance: Provenance;
  readonly size?: 'large' | 'small';
  /** The line below the figure. */
  readonly fact?: ReactNode;
  /** A link to where the figure can be checked, or the name of its source. */
  readonly evidence?: ReactNode;
}

/**
 * A figure with its age and its evidence. Every state takes the same space, so nothing moves when it changes. It renders
 * only when what it shows changes; a `fact` or `evidence` element counts as changed unless it is the same object.
 */
export const Figure = memo(FigureTile, (before, after) => {
  const { provenance: oldProvenance, ...old } = before;
  const { provenance: newProvenance, ...current } = after;
  const names = new Set([...Object.keys(old), ...Object.keys(current)]) as Set<keyof typeof current>;
  return (
    showsTheSame(oldProvenance, newProvenance) &&
    [...names].every((name) => Object.is(old[name], current[name]))
  );
});

function FigureTile({ size = 'large', provenance, ...contents }: FigureProps) {
  const inside = <Contents {...contents} provenance={provenance} />;
  return provenance.kind === 'read' ? (
    <AgedTile size={size} read={provenance}>
      {inside}
    </AgedTile>
  ) : (
    <Tile size={size} state={provenance.kind}>
      {inside}
    </Tile>
  );
}

interface TileProps {
  readonly size: 'large' | 'small';
  readonly children: ReactNode;
}

type TileState = 'live' | 'ageing' | 'stale' | Exclude<Provenance['kind'], 'read'>;

/** Renders when the age state changes; its contents do not. */
function AgedTile({ read, ...tile }: TileProps & { readonly read: FigureRead }) {
  return <Tile {...tile} state={useFigureState(read)} />;
}

function Tile({ state, size, children }: TileProps & { readonly state: TileState }) {
  return (
    <div className={styles.tile} data-state={state} data-size={size} aria-busy={state === 'loading'}>
      {children}
    </div>
  );
}

function Contents({ label, fact, evidence, provenance, ...amount }: Omit<FigureProps, 'size'>) {
  const loading = provenance.kind === 'loading';
  const line = <span className={`${styles.line} script-only`} />;
  return (
    <>
      <h3 className={styles.label}>{label}</h3>
      <p className={styles.figure}>
        {loading ? (
          <>
            <span className={`${styles.skeleton} script-only`} aria-hidden="true" />
            <LoadingText />
          </>
        ) : (
          <Amount {...amount} />
        )}
      </p>
      {fact === undefined ? null : <p className={styles.fact}>{loading ? line : fact}</p>}
      {provenance.kind === 'stated' ? null : (
        <div className={styles.foot}>
          {loading ? line : <Foot label={label} evidence={evidence} provenance={provenance} />}
        </div>
      )}
    </>
  );
}

function Amount({ value, prefix, unit }: Pick<FigureProps, 'value' | 'prefix' | 'unit'>) {
  if (value === null) {
    return (
      <span className={styles.minor}>
        <Dash />
      </span>
    );
  }
  const [whole, fraction] = /^([\d,−]+)(\.\d+)$/.exec(value)?.slice(1) ?? [value];
  const fractionIsMinor = fraction !== undefined && whole !== '0';
  return (
    <>
      {prefix === undefined ? null : <span className={styles.minor}>{prefix}</span>}
      {/* A new key restarts the change animation. */}
      <span className={styles.value} key={value}>
        {fractionIsMinor ? whole : value}
        {fractionIsMinor ? <span className={styles.minor}>{fraction}</span> : null}
      </span>
      <span className={styles.unit}> {unit}</span>
    </>
  );
}

function Foot({ label, evidence, provenance }: Pick<FigureProps, 'label' | 'evidence' | 'provenance'>) {
  switch (provenance.kind) {
    case 'read':
      return (
        <>
          <span className={styles.evidence}>{evidence}</span>
          <Age read={provenance} />
        </>
      );
    case 'reference':
      return (
        <>
          <span className={styles.reference}>Reference value</span>
          <Reason label={label} {...provenance} />
        </>
      );
    case 'unavailable':
      return <Reason label={label} {...provenance} />;
    default:
      return null;
  }
}

function Reason({ label, why, retry }: { label: string; why: string; retry: Retry | null }) {
  return (
    <span>
      {why}
      {retry === null ? null : (
        <>
          {' · '}
          <RetryButton retry={retry} what={label} />
        </>
      )}
    </span>
  );
}

const STATE_LABELS = { live: 'Live', ageing: 'Aging', stale: 'Stale' } as const;

/** The time since a figure was last confirmed; updates every second. */
export function Age({ read }: { readonly read: FigureRead }) {
  const now = useStore($now);
  const latest = { sources: useStore($lastReads), calls: useStore($callReads) };
  const state = useFigureState(read);
  const age = now - lastConfirmedAt(read, latest);
  return (
    <span className={styles.age} data-state={state}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={state === 'live' ? 'visually-hidden' : undefined}>{STATE_LABELS[state]} · </span>
      {isAgeUnknown(age) ? 'age unknown' : formatAge(age)}
    </span>
  );
}

interface FigureGridProps {
  readonly columns: 2 | 3 | 4;
  /** Whether the grid draws its own gold line. False right below another line. */
  readonly lined?: boolean;
  /** Whether the cells leave one place empty at every number of columns. */
  readonly oneShort?: boolean;
  readonly children: ReactNode;
}

/** Figures in cells between hairlines, as in LinedGrid.astro. */
export function FigureGrid({ columns, lined = true, oneShort = false, children }: FigureGridProps) {
  return (
    <div className={`lined-grid of-${columns}${lined ? ' lined' : ''}`}>
      <div className="cells">
        {children}
        {oneShort ? <span className="empty" /> : null}
      </div>
    </div>
  );
}
