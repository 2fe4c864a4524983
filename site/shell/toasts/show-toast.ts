import type { Toast } from './toast-region.ts';

/** Loads the code of toasts. */
export const loadToasts = () => import('./toast-region.ts');

/** Shows a toast from any script or island. */
export async function showToast(toast: Toast): Promise<void> {
  const { drawToast } = await loadToasts();
  drawToast(toast);
}
