// Package widget makes the data of what a reader with scripts can work beside a table:
// the loads, an exchange, a ring, a walk, the choices of RingSparse. A widget shows
// nothing that its table does not hold; assets/widgets*.js draw it, and the tests run
// them. It knows results and their words, and nothing of pages.
package widget
