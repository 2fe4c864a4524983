import { memo, type ReactNode } from 'react';
import type { FigureRead } from '../../data/source-freshness.ts';
import { useFigureState } from '../../data/use-figure.ts';
import { Age } from './Age.tsx';
import styles from './figure.module.css';
import { LoadingWords } from './LoadingWords.tsx';
import { type Provenance, type Retry, saysTheSame } from './provenance.ts';
import { RetryButton } from './RetryButton.tsx';

export interface FigureProps {
  readonly label: string;
  /** The figure as it is read, without unit; null is shown as a dash. Not shown while loading. */
  readonly value: string | null;
  readonly prefix?: string;
  readonly unit: string;
  readonly provenance: Provenance;
  readonly size?: 'large' | 'small';
  /** The line under the figure. */
  readonly fact?: ReactNode;
  /** Where the figure can be checked: a link or the name of its source. */
  readonly evidence?: ReactNode;
}

/**
 * A figure with its age and its evidence. Every state takes the same room, so nothing moves when it changes. It is drawn
 * again only where what it shows has changed; a `fact` and an `evidence` that are more than text count as changed
 * unless they are the same element.
 */
export const Figure = memo(FigureInItsState, (before, after) => {
  const { provenance: was, ...held } = before;
  const { provenance: is, ...given } = after;
  const names = new Set([...Object.keys(held), ...Object.keys(given)]) as Set<keyof typeof given>;
  return saysTheSame(was, is) && [...names].every((name) => Object.is(held[name], given[name]));
});

function FigureInItsState({ size = 'large', provenance, ...contents }: FigureProps) {
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

/** What grows old is the tile: what stands in it is drawn again for its own news alone. */
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
  return (
    <>
      <h3 className={styles.label}>{label}</h3>
      <p className={styles.figure}>{loading ? <Skeleton /> : <Amount {...amount} />}</p>
      {fact === undefined ? null : (
        <p className={styles.fact}>{loading ? <span className={`${styles.bone} script-only`} /> : fact}</p>
      )}
      {provenance.kind === 'stated' ? null : (
        <div className={styles.foot}>
          {loading ? (
            <span className={`${styles.bone} script-only`} />
          ) : (
            <Foot label={label} evidence={evidence} provenance={provenance} />
          )}
        </div>
      )}
    </>
  );
}

function Skeleton() {
  return (
    <>
      <span className={`${styles.skeleton} script-only`} aria-hidden="true" />
      <LoadingWords />
    </>
  );
}

function Amount({ value, prefix, unit }: Pick<FigureProps, 'value' | 'prefix' | 'unit'>) {
  if (value === null) {
    return (
      <>
        <span className={styles.dash} aria-hidden="true">
          —
        </span>
        <span className="visually-hidden">Not available</span>
      </>
    );
  }
  const [whole, fraction] = /^([\d,−]+)(\.\d+)$/.exec(value)?.slice(1) ?? [value];
  const fractionIsMinor = fraction !== undefined && whole !== '0';
  return (
    <>
      {prefix === undefined ? null : <span className={styles.minor}>{prefix}</span>}
      {/* A new key makes the browser play the change, once, when the figure moves. */}
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
          <Why label={label} {...provenance} />
        </>
      );
    case 'unavailable':
      return <Why label={label} {...provenance} />;
    default:
      return null;
  }
}

function Why({ label, why, retry }: { label: string; why: string; retry: Retry | null }) {
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
