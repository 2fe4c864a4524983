import { startHealthIndicator } from './health/health-indicator.ts';
import { registerWorker } from './worker/register-worker.ts';

/** What every page starts once it has nothing better to do. */
export function startIdleParts(): void {
  startHealthIndicator();
  // A site built last year says last year's.
  for (const year of document.querySelectorAll('[data-year]')) {
    year.textContent = String(new Date().getFullYear());
  }
  // Over plain HTTP from elsewhere there are no workers; who saves data is not made to store pages.
  const savesData = matchMedia('(prefers-reduced-data: reduce)').matches;
  if (import.meta.env.PROD && 'serviceWorker' in navigator && !savesData) void registerWorker();
}
