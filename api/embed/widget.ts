import type { EmbedTheme } from '../../data/contract/embeds.ts';
import { scriptHash } from '../pages/serve-pages.ts';
import { colorStyle } from './colors.ts';
import { type EmbeddedFigure, shortMomentText } from './embedded-figures.ts';

const STYLE =
  '*{margin:0}body{padding:12px 16px;font:15px/20px system-ui,sans-serif;background:var(--surface);color:var(--text)}' +
  'h1{padding-bottom:6px;font-size:15px;font-weight:600}dl>div{display:grid;grid-template-columns:1fr auto;gap:0 12px;' +
  'padding:6px 0;border-top:1px solid var(--line)}dd{font-weight:600;font-variant-numeric:tabular-nums}' +
  '.note{grid-column:1/-1;color:var(--muted);font-size:12px;line-height:16px;font-weight:400}.caveat{color:var(--amber)}' +
  'a{color:var(--gold);text-decoration:none}a:hover{text-decoration:underline}';

/**
 * Requests the page again every minute, without cookies, and replaces the figures. If that fails, the old figures and
 * their times stay.
 */
const SCRIPT = `setInterval(async()=>{
if(document.hidden)return
try{const answer=await fetch(location.href,{credentials:"omit"})
const next=answer.ok&&new DOMParser().parseFromString(await answer.text(),"text/html").querySelector("dl")
if(next)document.querySelector("dl").replaceWith(next)}catch{}
},60000)`;

export const WIDGET_SCRIPT_HASH = scriptHash(SCRIPT);

function row({ label, value, asOf, caveat }: EmbeddedFigure): string {
  const when = asOf === null ? '' : `<time datetime="${asOf.toISOString()}">${shortMomentText(asOf)}</time>`;
  const caveatHtml = caveat === null ? '' : `<span class="caveat">${caveat}</span> · `;
  const note = asOf === null ? 'Not available yet' : `${caveatHtml}${when}`;
  return `<div><dt>${label}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`;
}

export function widgetHtml(
  figures: readonly EmbeddedFigure[],
  { theme, portal: portalOrigin }: { readonly theme: EmbedTheme; readonly portal: string },
): string {
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<meta name="robots" content="noindex"><title>BlackDuck: live figures</title>' +
    `<style>${colorStyle(theme)}${STYLE}</style><main><h1><a href="${portalOrigin}/" target="_blank" rel="noopener">BlackDuck</a></h1>` +
    `<dl>${figures.map(row).join('')}</dl></main><script>${SCRIPT}</script></html>`
  );
}
