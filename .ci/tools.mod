module gradsync

go 1.26.0

require (
	github.com/OpenPeeDeeP/depguard/v2 v2.3.0
	github.com/gobwas/glob v1.0.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/tools v0.52.0
)
