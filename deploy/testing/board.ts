import { readShipped } from './settings.ts';

/** A panel of a Grafana dashboard. A row, which groups the panels below it, has no targets. */
interface Panel {
  readonly id: number;
  readonly type: string;
  /** The position and size in columns and rows of the dashboard, which has 24 columns. */
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

export function readPanels(): readonly Panel[] {
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(readShipped('grafana/portal.json'));
  return panels;
}
