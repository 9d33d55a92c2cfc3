package policy

// Request is a change that a user wants, as far as it is known.
type Request struct {
	Intent string // label of a branch of the workflow's classifier
	Target string // id of the record that it is about, "" while it is not known
	Args   Record // of the call that is proposed; before that, what a verifier has recorded
}
