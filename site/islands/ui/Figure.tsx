import { useStore } from '@nanostores/react';
import { memo, type ReactNode } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { isAgeUnknown } from '../../../data/model/value-state.ts';
import { $callReads, $lastReads, type FigureRead, lastConfirmedAt } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigureState } from '../../data/use-figure.ts';
import styles from './figure.module.css';
import { type Provenance, type Retry, showsTheSame } from './provenance.ts';
import { Dash, Loading, RetryButton, Skeleton } from './ReadStates.tsx';
import '../../styles/lined-grid.css';

interface FigureProps {
  readonly label: string;
  /** The figure without its unit; null is shown as a dash. Ignored while loading. */
  readonly value: string | null;
  readonly prefix?: string;
  readonly unit: string;
  readonly provenance: Provenance;
  readonly size?: 'large' | 'small';
  /** A small chart below the figure, shown in every state. */
  readonly trend?: ReactNode;
  readonly fact?: ReactNode;
  /** A link to where the figure can be checked, or a short note about it. */
  readonly source?: ReactNode;
}

/**
 * A figure with its age and its source. It has the same size in every state, so that nothing moves when the state changes.
 * The figure renders again only if one of its props has changed. A later read of the same value does not count as a change,
 * but a new `fact` or `source` element does.
 */
export const Figure = memo(FigureTile, (before, after) => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof FigureProps>;
  names.delete('provenance');
  return (
    showsTheSame(before.provenance, after.provenance) &&
    [...names].every((name) => Object.is(before[name], after[name]))
  );
});

function FigureTile({ size = 'large', provenance, ...contents }: FigureProps) {
  const tileProps = { size, children: <FigureContents {...contents} provenance={provenance} /> };
  return provenance.kind === 'read' ? (
    <TileWithAge {...tileProps} read={provenance} />
  ) : (
    <Tile {...tileProps} state={provenance.kind} />
  );
}

interface TileProps {
  readonly size: 'large' | 'small';
  readonly children: ReactNode;
}

/** A separate component, so that the contents do not render again when the age state changes. */
function TileWithAge({ read, ...tileProps }: TileProps & { readonly read: FigureRead }) {
  return <Tile {...tileProps} state={useFigureState(read)} />;
}

function Tile({ state, size, children }: TileProps & { readonly state: string }) {
  return (
    <div className={styles.tile} data-state={state} data-size={size} aria-busy={state === 'loading'}>
      {children}
    </div>
  );
}

function FigureContents({
  label,
  trend,
  fact,
  source,
  provenance,
  ...amountProps
}: Omit<FigureProps, 'size'>) {
  const isLoading = provenance.kind === 'loading';
  const placeholder = <Skeleton width={18} />;
  return (
    <>
      <h3 className={styles.label}>{label}</h3>
      <p className={styles.figure}>{isLoading ? <Loading width={9} /> : <Amount {...amountProps} />}</p>
      {trend}
      {fact === undefined ? null : <p className={styles.fact}>{isLoading ? placeholder : fact}</p>}
      {provenance.kind === 'stated' ? null : (
        <div className={styles.foot}>
          {isLoading ? placeholder : <FigureFooter label={label} source={source} provenance={provenance} />}
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
  const isFractionMinor = fraction !== undefined && whole !== '0';
  return (
    <bdi dir="ltr">
      {prefix === undefined ? null : <span className={styles.minor}>{prefix}</span>}
      {/* A new key restarts the change animation. */}
      <span className={styles.value} key={value}>
        {isFractionMinor ? whole : value}
        {isFractionMinor ? (
          <span className={fraction.length > 3 ? styles.exact : styles.minor}>{fraction}</span>
        ) : null}
      </span>
      <span className={styles.unit}> {unit}</span>
    </bdi>
  );
}

function FigureFooter({ label, source, provenance }: Pick<FigureProps, 'label' | 'source' | 'provenance'>) {
  switch (provenance.kind) {
    case 'read':
      return (
        <>
          <span className={styles.source}>{source}</span>
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

interface ReasonProps {
  /** The figure's label, for screen readers. */
  readonly label: string;
  readonly why: string;
  readonly retry: Retry | null;
}

export function Reason({ label, why, retry }: ReasonProps) {
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

const STATE_LABELS = { live: 'Live', ageing: 'Ageing', stale: 'Stale' } as const;

export function Age({ read }: { readonly read: FigureRead }) {
  const now = useStore($now);
  const latest = { sources: useStore($lastReads), calls: useStore($callReads) };
  const state = useFigureState(read);
  const ageMs = now - lastConfirmedAt(read, latest);
  return (
    <span className={styles.age} data-state={state}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={state === 'live' ? 'visually-hidden in-print' : undefined}>
        {STATE_LABELS[state]} ·{' '}
      </span>
      {isAgeUnknown(ageMs) ? 'age unknown' : formatAge(ageMs)}
    </span>
  );
}

interface FigureGridProps {
  readonly columns: 2 | 3 | 4;
  /** Whether there is a gold line at the top. False if another line is right above the grid. */
  readonly hasTopLine?: boolean;
  /** Whether the last row is one cell short, both in the two-column and in the four-column layout. */
  readonly isLastRowShort?: boolean;
  readonly children: ReactNode;
}

/** Figures in cells between hairlines, as in LinedGrid.astro. */
export function FigureGrid({
  columns,
  hasTopLine = true,
  isLastRowShort = false,
  children,
}: FigureGridProps) {
  return (
    <div className={`lined-grid of-${columns}${hasTopLine ? ' lined' : ''}`}>
      <div className="cells">
        {children}
        {isLastRowShort ? <span className="empty" /> : null}
      </div>
    </div>
  );
}
