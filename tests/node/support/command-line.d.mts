export const modulePath: string;
export function corpus(lines: number, first?: number): string;
export function vitrine(
  build: string,
  args: string[],
): { status: number | null; stdout: string; stderr: string; json: () => unknown };
