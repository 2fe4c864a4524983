import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ChartSeries } from '../../../data/contract/history.ts';
import chart from '../chart/chart.module.css';
import styles from './dashboard-tiles.module.css';

// If the chart fails to load, the tile still shows its figure.
const Sparkline = lazy(() => import('../chart/Sparkline.tsx').catch(() => ({ default: () => null })));

interface TrendProps {
  readonly series: ChartSeries;
  /** The figure's name, for screen readers. */
  readonly label: string;
  readonly href: string;
}

/** A link with a small chart, which loads once the link scrolls into view. */
export function Trend({ series, label, href }: TrendProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const [hasBeenSeen, setBeenSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setBeenSeen(true);
    });
    if (link.current) observer.observe(link.current);
    return () => observer.disconnect();
  }, []);
  return (
    <a
      className={`${styles.trend} ${chart.plot} script-only no-print`}
      href={href}
      ref={link}
      data-trend={series}
    >
      <span className="visually-hidden">{label}, last 30 days</span>
      {hasBeenSeen && (
        <Suspense fallback={null}>
          <Sparkline series={series} />
        </Suspense>
      )}
    </a>
  );
}
