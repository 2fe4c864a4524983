import type { Toast } from './toast-region.ts';

/** Shows a toast from any script or island. Its code loads with the first toast. */
export async function showToast(toast: Toast): Promise<void> {
  const { drawToast } = await import('./toast-region.ts');
  drawToast(toast);
}
