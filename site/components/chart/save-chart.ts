import { drawChartImage } from '../../islands/chart/chart-image.ts';
import { saveBlob } from '../../islands/ui/download.ts';

export async function saveChart(chart: HTMLElement): Promise<void> {
  const figure = chart.querySelector('figure');
  if (!figure) return;
  const { chart: id, title = '' } = chart.dataset;
  const note = chart.querySelector('.note')?.textContent ?? '';
  saveBlob(`blackduck-${id}.png`, await drawChartImage(figure, title, note));
}
