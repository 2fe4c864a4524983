import { useState } from 'react';
import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import { useHistory } from '../../data/use-history.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { useLatest } from './use-latest.ts';

const FIRST_RANGE: ChartRange = '30d';

/** How a figure went over time: a chart, the same as a table, and as a file. */
export default function HistoryChart({ series }: { readonly series: ChartSeries }) {
  return (
    <LiveRoot>
      <LiveChart series={series} />
    </LiveRoot>
  );
}

function LiveChart({ series }: { readonly series: ChartSeries }) {
  const [range, setRange] = useState(FIRST_RANGE);
  return (
    <ChartPanel
      series={series}
      range={range}
      onRange={setRange}
      reading={useHistory(series, range)}
      latest={useLatest(series)}
    />
  );
}
