import { downloadText, saveBlob } from '../ui/download.ts';
import styles from './chart.module.css';

interface ChartActionsProps {
  readonly title: string;
  readonly asTable?: boolean;
  /** Absent if the figure is already a table. */
  readonly onAsTableChange?: (asTable: boolean) => void;
  /** The name of the saved files, without an extension. */
  readonly fileName: string;
  readonly csv: () => string;
  /** The text below the title of the saved image: the range and the source. */
  readonly note: string;
}

/** The buttons of a chart. The saved image shows the `figure` in the same `section`. */
export function ChartActions({
  title,
  asTable = false,
  onAsTableChange,
  fileName,
  csv,
  note,
}: ChartActionsProps) {
  const saveImage = async (button: HTMLElement) => {
    const figure = button.closest('section')?.querySelector('figure');
    if (!figure) return;
    const { drawChartImage } = await import('./chart-image.ts');
    saveBlob(`${fileName}.png`, await drawChartImage(figure, title, note));
  };
  const titleSuffix = <span className="visually-hidden">: {title}</span>;
  return (
    <span className={`${styles.actions} no-print`}>
      {onAsTableChange && (
        <button type="button" onClick={() => onAsTableChange(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
          {titleSuffix}
        </button>
      )}
      <button type="button" onClick={() => downloadText(`${fileName}.csv`, csv(), 'text/csv')}>
        CSV{titleSuffix}
      </button>
      {asTable ? null : (
        <button type="button" onClick={({ currentTarget }) => saveImage(currentTarget)}>
          PNG{titleSuffix}
        </button>
      )}
    </span>
  );
}
