import type { ReactNode } from 'react';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { formatPrice } from '../../../data/model/format.ts';
import { MARKET_OVERVIEW } from '../../data/figure-strategies.ts';
import type { FigureRead } from '../../data/source-freshness.ts';
import { useFigure, useFigureState } from '../../data/use-figure.ts';
import { Age } from '../ui/Figure.tsx';
import { feedLabel, provenanceOf } from '../ui/provenance.ts';
import styles from './stake.module.css';
import { worthUsd } from './stake-amount.ts';

interface WorthProps {
  /** BD, decimal text. */
  readonly amount: string;
  readonly fallback: ReactNode;
  readonly prefix?: string;
}

export function Worth(props: WorthProps) {
  const reading = useFigure(MARKET_OVERVIEW);
  const read = provenanceOf(MARKET_OVERVIEW.path, reading, 'unavailable');
  if (reading.kind !== 'known' || read.kind !== 'read') return props.fallback;
  return <CurrentWorth {...props} read={read} {...reading.body} />;
}

interface CurrentWorthProps extends WorthProps {
  readonly read: FigureRead;
  readonly priceUsd: string;
  readonly source: string;
}

function CurrentWorth({ amount, fallback, prefix, read, priceUsd, source }: CurrentWorthProps) {
  if (useFigureState(read) === 'stale') return fallback;
  return (
    <span data-worth="current">
      {prefix}${groupDecimalText(worthUsd(amount, priceUsd))}{' '}
      <span className={styles.quiet}>
        at ${formatPrice(priceUsd)} per BD, {feedLabel(source)} <Age read={read} />
      </span>
    </span>
  );
}

export function OrderAmount({ amount }: { readonly amount: string }) {
  return (
    <>
      {groupDecimalText(amount)} BD
      <Worth amount={amount} fallback={null} prefix=" · " />
    </>
  );
}
