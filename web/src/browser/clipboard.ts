// Puts the text of a field on the clipboard, or, where a page may not, selects it there. It draws nothing.

/** Whether the text was copied; else it is selected, and the visitor's own command copies it. */
export async function copyOrSelect(field: HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return false;
  }
}
