/** The index of the tab that a key moves to, wrapping around; null for other keys. @param direction of the page's text */
export function nextTabIndex(key: string, index: number, count: number, direction = 'ltr'): number | null {
  const step = direction === 'rtl' ? -1 : 1;
  if (key === 'ArrowRight') return (index + count + step) % count;
  if (key === 'ArrowLeft') return (index + count - step) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
