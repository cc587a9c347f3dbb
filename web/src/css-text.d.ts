// A style sheet of a library as text: the bundler's loader for .css files.
declare module '*.css' {
  const text: string;
  export default text;
}
