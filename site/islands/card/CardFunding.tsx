import { useQuery } from '@tanstack/react-query';
import { fundingQuery } from '../../data/card-calls.ts';
import { readingOf } from '../../data/reading.ts';
import { useAwake } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { FundingPanel, type FundingWords } from './FundingPanel.tsx';

/** Where a card is loaded. */
export default function CardFunding({ words }: { readonly words: FundingWords }) {
  return (
    <LiveRoot>
      <LiveFunding words={words} />
    </LiveRoot>
  );
}

function LiveFunding({ words }: { readonly words: FundingWords }) {
  const awake = useAwake();
  const reading = readingOf(useQuery(fundingQuery()));
  return <FundingPanel words={words} reading={awake ? reading : { kind: 'loading' }} />;
}
