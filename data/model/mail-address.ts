const ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]+@[^\s<>()[\]\\,;:@"\p{Cc}]+$/u;

/** Whether a text is one mail address: no list, no name, no space, no sign that means something in a header. */
export function isSoleMailAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text);
}
