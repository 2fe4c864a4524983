interface Device {
  readonly userAgent: string;
  readonly maxTouchPoints: number;
}

/** Whether a browser runs on a phone or tablet, where wallets are apps. An iPad says that it is a Mac, which has no touch. */
export function isMobile({ userAgent, maxTouchPoints }: Device): boolean {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** The address that opens a page in the browser of Phantom's app. */
export function phantomBrowseLink(page: string): string {
  const { origin } = new URL(page);
  return `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${encodeURIComponent(origin)}`;
}
