import type { Toast } from './toast-region.ts';

export const loadToasts = () => import('./toast-region.ts');

/** Shows a toast from any script or island. @returns a function that closes it if it is still shown */
export async function showToast(toast: Toast): Promise<() => void> {
  const { drawToast } = await loadToasts();
  return drawToast(toast);
}
